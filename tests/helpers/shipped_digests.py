"""Runs every shipped experiment in the current folder and prints the digest of what each run wrote.

Two Pythons print the same lines: what a result says of Python itself and its Unicode is left out.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

from auditfw.config.variants import shipped_conf

SETTINGS = {
    "posiwid": ["simulator.timeout=60"],  # a busy machine is no other result
    "self_audit": ["source.limit=4"],
    "self_audit_alignment": ["simulator.timeout=60"],
}
TABLES = ("measurements.parquet", "trials.parquet")


def digest_of(folder: Path) -> str:
    result = json.loads((folder / "result.json").read_text("utf-8"))
    for name in ("python", "unicode"):
        del result["versions"][name]
    parts = [
        json.dumps(result).encode(),
        *((folder / name).read_bytes() for name in TABLES if (folder / name).exists()),
    ]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def main() -> None:
    for file in sorted((shipped_conf() / "experiment").glob("*.yaml")):
        if file.stem == "adjudication":  # is of a finished run
            continue
        words = [f"experiment={file.stem}", *SETTINGS.get(file.stem, ()), f"hydra.run.dir={file.stem}", "report=[json]"]
        done = subprocess.run([sys.executable, "-P", "-m", "auditfw", *words], stdout=subprocess.DEVNULL, check=False)
        print(file.stem, done.returncode, digest_of(Path(file.stem)), flush=True)


if __name__ == "__main__":
    main()
