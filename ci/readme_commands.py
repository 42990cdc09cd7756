"""Prints the set-up commands of the README, one a line: those of its code blocks that make a virtual environment."""

from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"
MARK = "python3 -m venv "


def commands(text: str) -> list[str]:
    """The commands in order; a line that ends in a backslash goes on in the next one."""
    found = []
    inside = False
    for line in text.replace("\\\n", " ").splitlines():
        if line.lstrip().startswith("```"):
            inside = not inside
        elif inside and line.strip().startswith(MARK):
            found.append(line.strip())
    return found


if __name__ == "__main__":
    print("\n".join(commands(README.read_text())))
