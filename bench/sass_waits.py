#!/usr/bin/env python3
"""Where the kernels wait for loads from global memory.

Loads that are to be hidden (the next points, the next planes) are issued long before they are needed. Whether the
compiler left it at that only the machine code tells: an instruction has a mask of the six scoreboards that it waits
for, and the loads of a kernel mostly share one, so that a wait for any of them is one for all.

    nvcc -cubin -arch=sm_90 .. kernels.cu -o kernels.cubin
    cuobjdump -sass kernels.cubin | bench/sass_waits.py [part of a kernel's name]

prints, for each kernel, the instructions of its largest loop that wait for a load, and how many instructions later. Few
are bad, and so is a DMMA that waits for the points to come. cuobjdump and nvdisasm are in the CUDA toolkit, and on PyPI
as nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm.
"""
import re
import sys

INSTRUCTION = re.compile(r"\s+/\*([0-9a-f]{4,5})\*/\s+(.*?);\s+/\* 0x[0-9a-f]{16} \*/")
CONTROL = re.compile(r"/\* 0x([0-9a-f]{16}) \*/")


def kernels(lines):
    """{name: [(address, text, scoreboard that it sets or 7, mask that it waits for)]}"""
    found, code = {}, None
    for line, after in zip(lines, lines[1:] + [""]):
        if name := re.match(r"\s+Function : (\S+)", line):
            code = found.setdefault(name[1], [])
        elif instruction := INSTRUCTION.match(line):
            control = int(CONTROL.search(after)[1], 16) >> 41
            code.append((int(instruction[1], 16), instruction[2].strip(), control >> 5 & 7, control >> 11 & 63))
    return found


def largest_loop(code):
    jumps = [(address, re.search(r"BRA 0x([0-9a-f]+)", text)) for address, text, *_ in code]
    loops = [(address - int(to[1], 16), int(to[1], 16), address) for address, to in jumps if to]
    return max((loop for loop in loops if loop[0] > 0), default=(0, 0, 0))[1:]


def waits(code, first, last):
    """Twice around the loop: loads of one round are waited for in the next."""
    pending = {}
    for again in range(2):
        for place, (address, text, sets, mask) in enumerate(code):
            if again and not first <= address <= last:
                continue
            for board in [b for b in range(6) if mask >> b & 1 and b in pending]:
                load_place, load = pending.pop(board)
                if again:
                    yield address, text, load, place - load_place
            if sets != 7 and text.split(" ")[0 if text[0] != "@" else 1].startswith("LDG"):
                pending[sets] = place, text


def main():
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    for name, code in kernels(sys.stdin.read().split("\n")).items():
        if part in name and code:
            first, last = largest_loop(code)
            print(f"{name}\n  loop of {(last - first) // 16} instructions")
            for address, text, load, later in waits(code, first, last):
                when = f"{later} instructions later" if later > 0 else "in the next round"
                print(f"  {address:04x} {text[:50]:50s} waits for {load[:50]:50s} {when}")


if __name__ == "__main__":
    main()
