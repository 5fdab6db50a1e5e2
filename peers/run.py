"""Runs the comparisons that are named, all if none is, and writes RESULTS.md from everything measured so far.

Each part leaves its numbers in target/bench/results/PART.json, so that parts can be repeated one by one. A part that fails leaves its reason in
PART.failure.json instead and keeps its last numbers; the others go on.
"""

import importlib
import json
import os
import resource
import sys
import time
import traceback

from parts import common, report

PARTS = ["peak", "dynamics", "generated", "libraries", "limits", "counts", "ensembles", "integrating", "large", "contacts", "compiling", "imports", "frequency", "arranged", "vehicles", "python_calls"]


def spent():
    """Processor time of this process and of all that it waited for."""
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def run(part):
    """Whether a part was measured."""
    print(f"== {part}", flush=True)
    start, before, load = time.time(), spent(), os.getloadavg()[0]
    said, failure = common.RESULTS / f"{part}.json", common.RESULTS / f"{part}.failure.json"
    try:
        measured = importlib.import_module(f"parts.{part}").measure()
    except Exception as error:
        traceback.print_exc()
        why = f"{type(error).__name__}: {error}" if not isinstance(error, RuntimeError) else str(error)
        failure.write_text(json.dumps({"date": time.strftime("%Y-%m-%d"), "reason": common.reason(why)}, indent=1) + "\n")
        print(f"   failed after {time.time() - start:.0f} s: {why}", flush=True)
        return False
    measured |= {"date": time.strftime("%Y-%m-%d"), "load": load, "clock_s": time.time() - start, "processor_s": spent() - before}
    said.write_text(json.dumps(measured, indent=1) + "\n")
    failure.unlink(missing_ok=True)
    print(f"   {measured['clock_s']:.0f} s on the clock, {measured['processor_s']:.0f} s of processors", flush=True)
    return True


def main(words):
    unknown = [w for w in words if w not in PARTS and w != "report"]
    if unknown:
        sys.exit(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}, report")
    common.RESULTS.mkdir(parents=True, exist_ok=True)
    # Linear algebra on one core, also of what is started from here.
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    failed = []
    for part in [w for w in words if w != "report"] or ([] if words else PARTS):
        if not run(part):
            failed.append(part)
        # After each, so that what was measured is seen whatever becomes of the rest.
        report.write()
    if words == ["report"]:
        report.write()
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


main(sys.argv[1:])
