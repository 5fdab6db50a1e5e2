"""Runs the comparisons that are named, all if none is, and writes RESULTS.md from everything measured so far.

Each part leaves its numbers in target/bench/results/PART.json, so that parts can be repeated one by one.
"""

import importlib
import json
import os
import sys
import time

from parts import common, report

PARTS = ["peak", "dynamics", "generated", "libraries", "limits", "counts", "ensembles", "integrating", "compiling", "imports", "arranged"]


def main(words):
    unknown = [w for w in words if w not in PARTS and w != "report"]
    if unknown:
        sys.exit(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}, report")
    common.RESULTS.mkdir(parents=True, exist_ok=True)
    # Linear algebra on one core, also of what is started from here.
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    for part in [w for w in words if w != "report"] or ([] if words else PARTS):
        start = time.time()
        print(f"== {part}", flush=True)
        load = os.getloadavg()[0]
        measured = importlib.import_module(f"parts.{part}").measure()
        measured["date"] = time.strftime("%Y-%m-%d")
        measured["load"] = load
        (common.RESULTS / f"{part}.json").write_text(json.dumps(measured, indent=1) + "\n")
        print(f"   {time.time() - start:.0f} s", flush=True)
    report.write()


main(sys.argv[1:])
