"""A progress bar on stderr; where that is no terminal, a line every tenth of the way."""
import sys
import time


class Progress:
    def __init__(self, total):
        self.total, self.done, self.start = total, 0, time.perf_counter()
        self.live = sys.stderr.isatty()

    def step(self, text):
        self.done += 1
        seconds = time.perf_counter() - self.start
        left = seconds / self.done * (self.total - self.done)
        line = f"{self.done:4d} of {self.total}  {seconds:5.0f} s, about {left:4.0f} s to go  {text}"
        if self.live:
            filled = 24 * self.done // self.total
            sys.stderr.write(f"\r\x1b[2K[{'#' * filled}{'.' * (24 - filled)}] {line[:110]}")
        elif self.done == self.total or 10 * self.done // self.total > 10 * (self.done - 1) // self.total:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()

    def end(self):
        if self.live:
            sys.stderr.write("\n")
