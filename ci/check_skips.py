"""check_skips.py JUNIT_XML WORD: fails when a test was skipped for a reason that names WORD, or when nothing ran."""

import sys
from xml.etree import ElementTree


def main(path: str, word: str) -> int:
    cases = list(ElementTree.parse(path).iter("testcase"))
    skipped = [(case, skip) for case in cases for skip in case.iter("skipped")]
    wrong = [(case, skip) for case, skip in skipped if word in (skip.get("message") or "")]
    for case, skip in wrong:
        print(f"skipped: {case.get('classname')}.{case.get('name')}: {skip.get('message')}", file=sys.stderr)
    if len(cases) == len(skipped):
        print(f"{path}: no test ran", file=sys.stderr)
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
