"""Every crate has an archive with a description, a licence and all files that its code includes."""

import pathlib
import re
import sys
import tarfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
archives = {}
for path in pathlib.Path(sys.argv[1]).glob("*.crate"):
    with tarfile.open(path) as archive:
        archives[path.stem.rsplit("-", 1)[0]] = {
            member.name.split("/", 1)[1]: archive.extractfile(member).read() for member in archive if member.isfile()
        }
folders = [f for f in (ROOT / "crates").iterdir() if (f / "Cargo.toml").exists()]
names = {tomllib.loads((f / "Cargo.toml").read_text())["package"]["name"] for f in folders}
assert archives.keys() == names, archives.keys() ^ names
size = 0
for name, files in archives.items():
    package = tomllib.loads(files["Cargo.toml"].decode())["package"]
    assert len(package["description"]) > 20 and package["license"] and package["repository"], name
    size += sum(map(len, files.values()))
    for path, content in files.items():
        if not path.startswith("src/") or not path.endswith(".rs"):
            continue
        for included in re.findall(r'include_(?:str|bytes)!\(\s*"([^"]+)"', content.decode()):
            parts = []
            for part in (pathlib.PurePosixPath(path).parent / included).parts:
                if part == ".." and parts:
                    parts.pop()
                else:
                    parts.append(part)
            assert "/".join(parts) in files, f"{name}: {path} includes {included}, which is not in the archive"
print(f"{len(archives)} crates packed, {size / 1e6:.1f} MB")
