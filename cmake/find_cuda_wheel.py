"""Prints the folders with cuda.h of the NVIDIA runtime wheels that this Python sees, the preferred one first."""

from importlib import metadata

for name in ("nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime"):
    try:
        distribution = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        continue
    for file in distribution.files or []:
        if file.name == "cuda.h":
            print(distribution.locate_file(file.parent))
