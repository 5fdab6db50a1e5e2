"""Folders, processes, repetitions."""

import functools
import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCH = ROOT / "target/bench"
RESULTS = BENCH / "results"
SCRATCH = BENCH / "scratch"
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))


@functools.cache
def ours():
    """The program that answers for cardan."""
    command = ["cargo", "bench", "-p", "cardan", "--bench", "peers", "--no-run", "--message-format=json"]
    built = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message["target"]["name"] == "peers":
            return message["executable"]
    raise RuntimeError("cargo built no `peers`")


def driver(name):
    """A compiled driver of `peers/drivers`."""
    path = BENCH / name
    if not path.exists():
        log = BENCH / f"{name}.log"
        said = re.findall(r"error: .*", log.read_text()) if log.exists() else []
        raise RuntimeError(f"the driver {name} was not compiled" + (f": {said[0]}" if said else ""))
    return path


def lines(command, timeout=600, **options):
    """What a command says, one JSON object per line; it fails if it takes longer than anything here should."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout, **options)
    if done.returncode != 0:
        said = [line for line in done.stderr.strip().splitlines() if line] or [f"exit code {done.returncode}"]
        # A panic says where, then why.
        where = [k for k, line in enumerate(said) if "panicked at" in line]
        raise RuntimeError(said[where[0] + 1] if where and where[0] + 1 < len(said) else said[-1])
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def cardan(*words, **options):
    return lines([ours(), *words], **options)


def merge(rounds):
    """The best of all rounds, and the median of their medians, by quantity."""
    merged = {}
    for row in (row for r in rounds for row in r):
        kept = merged.setdefault(row["quantity"], dict(row, medians=[]))
        kept["best_ns"] = min(kept["best_ns"], row["best_ns"])
        kept["medians"].append(row["median_ns"])
    for kept in merged.values():
        medians = sorted(kept.pop("medians"))
        kept["median_ns"] = medians[len(medians) // 2]
    return merged


def alternate(*sides, rounds=ROUNDS):
    """Each side in turn, round after round, so that what disturbs the machine disturbs all."""
    said = [[] for _ in sides]
    for _ in range(rounds):
        for k, side in enumerate(sides):
            said[k].append(side())
    return [merge(s) for s in said]


def robots():
    """The folder of example-robot-data."""
    folder = next(BENCH.glob("venv/lib/python3*/site-packages/cmeel.prefix/share/example-robot-data/robots"), None)
    if folder is None:
        raise RuntimeError("example-robot-data is not installed")
    return folder


def without_followers(path):
    """A copy of a URDF in which every joint moves by itself."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    copy = SCRATCH / path.name
    text = re.sub(r"<mimic\b[^>]*/>", "", path.read_text())
    copy.write_text(re.sub(r"<mimic\b.*?</mimic>", "", text, flags=re.S))
    return copy


def reason(error):
    """What went wrong, in a line that fits into a table."""
    text = re.sub(r"/\S*/", "", re.sub(r"\s+", " ", str(error)))
    return text[:160].replace("|", "/")
