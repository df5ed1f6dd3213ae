"""What was measured on what, for the foot of every page."""
import datetime
import importlib.metadata
import os
import pathlib
import platform
import subprocess


def cpu_name():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        return names[0]
    except (OSError, IndexError):
        return platform.machine()


def gpu_name(device):
    runtime = device.runtime
    facts = runtime.getDeviceProperties(runtime.getDevice())
    version = runtime.runtimeGetVersion()
    memory = facts["totalGlobalMem"] / 2**30
    return f"{facts['name'].decode()}, {memory:.0f} GiB, CUDA {version // 1000}.{version % 1000 // 10}"


def commit_here():
    """Of the working tree, with a plus where something tracked is changed; OFFGRID_COMMIT where there is no repository."""
    root = pathlib.Path(__file__).parents[2]

    def git(*words):
        return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short=8", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def finufft_version():
    try:
        return importlib.metadata.version("finufft")
    except importlib.metadata.PackageNotFoundError:
        return ""


def describe(library, device, scale):
    cores = len(os.sched_getaffinity(0))
    return {
        "device": gpu_name(device) if device.name == "cuda" else "",
        "cpu": f"{cpu_name()}, {cores} cores",
        "offgrid": library.offgrid_version().decode(),
        "commit": os.environ.get("OFFGRID_COMMIT") or commit_here(),
        "date": datetime.date.today().isoformat(),
        "finufft": finufft_version(),
        "scale": scale,
    }


def words(machine):
    """One line for the foot of a page."""
    where = machine["device"] or machine["cpu"]
    line = f"offgrid {machine['offgrid']} at {machine['commit']} on {where}; {machine['date']}"
    return line if machine["scale"] == "full" else f"{line}; {machine['scale']} sizes"
