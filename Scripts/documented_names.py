"""Finds names in the inline code of Markdown files that the repository's code does not have, for Scripts/check-links.

A name is a path, a metric, an environment variable, an option, a setting, a target of `make`, a type, a member, a
function or the label of an argument. Ordinary words and code with other signs are not checked; the Swift in fenced
blocks is compiled by Scripts/check-snippets. Names in comments do not count, and names in tests only for the Markdown of
those who work on Halcyon. Names of other software are in Scripts/foreign-names.txt.
"""
import os
import re
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
FOREIGN = "Scripts/foreign-names.txt"
CODE = r"\.(swift|c|h|py|sh|yml|conf|cfg|json|js|html|service|modulemap|xcprivacy)$"
FILE = r"[\w.+-]*\w\.(swift|md|txt|sh|py|c|cfg|conf|json|yml|service|html|js|tutorial|supp)"
# A word with a capital letter inside.
HUMP = r"[A-Za-z]*[a-z0-9][A-Z]\w*"


def text(path):
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError:
        return ""


def is_test(path):
    return re.search(r"(^|/)(Tests|GTKScenes)/|^Scripts/(stand-ins|run-checks)", path) is not None


class Names:
    """The names that the repository has, and those of other software."""

    def __init__(self):
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        self.files = [path for path in listed.splitlines() if os.path.isfile(os.path.join(ROOT, path))]
        self.paths, self.words, self.test_words, self.options, self.cases = set(self.files), set(), set(), set(), set()
        for path in self.files:
            while path := os.path.dirname(path):
                self.paths.add(path)
        # Without this file, which has wrong names to be found.
        for path in set(self.files) - {os.path.relpath(os.path.abspath(__file__), os.path.abspath(ROOT))}:
            if re.search(CODE, path) or "." not in os.path.basename(path):
                self.read(path, re.sub(r"^\s*//.*$", "", text(path), flags=re.M))
        settings = "Service/Sources/HalcyonService/Configuration/"
        self.settings = set(re.findall(r'"([a-z][a-z0-9-]*)"', text(settings + "Setting+All.swift")))
        self.imgproxy = set(re.findall(r'"([A-Z][A-Z0-9_]*)"', text(settings + "ImgproxyVariables.swift")))
        self.options |= self.settings
        self.targets = set(re.findall(r"^([a-z][a-z-]*):", text("Makefile"), re.M))
        self.members = {}
        for owner, member in re.findall(r"^([A-Z][\w.]*?)(?:\.([a-z]\w*)[^.]*)?: ", text("Scripts/public-api.txt"), re.M):
            self.members.setdefault(owner.split(".")[-1], set()).add(member)
        self.cases |= set().union(*self.members.values())
        self.foreign = {}
        for line in text(FOREIGN).splitlines():
            path, _, words = line.partition(":")
            if line and not line.startswith("#"):
                self.foreign.setdefault(path, set()).update(words.split())

    def read(self, path, code):
        words = set(re.findall(r"\w+", code)) | set(re.findall(r"[\w$]+(?:[.-]\w+)+", code))
        (self.test_words if is_test(path) else self.words).update(words)
        if is_test(path):
            return
        self.options |= set(re.findall(r"--([a-z][\w-]*)", code))
        if path.startswith("Tools/"):
            # The options of the command line are properties.
            self.options |= {re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", name).lower() for name in re.findall(r"\bvar (\w+)", code)}
            self.options |= set(re.findall(r'customLong\("([\w-]+)"', code))
        if path.endswith(".swift"):
            self.cases |= set(re.findall(r"\b(?:case|static (?:let|var|func)|func|var|let) (\w+)", code))

    def has_path(self, path, guide, isExact=False):
        """Whether a path exists: below the repository or the folder of the guide; or as the end of a path."""
        path = path.rstrip("/")
        beside = os.path.normpath(os.path.join(os.path.dirname(guide), path))
        if path in self.paths or beside in self.paths:
            return True
        return not isExact and any(known.endswith("/" + path) for known in self.paths)

    def lacks(self, name, guide):
        """Whether a word of inline code is a name that neither the repository nor the list of other software has."""
        foreign = self.foreign.get("*", set()) | self.foreign.get(guide, set())
        known = self.words | foreign | (set() if self.is_for_users(guide) else self.test_words)
        if name in foreign:
            return False
        if match := re.fullmatch(r"HALCYON_SERVE_(\w+)|IMGPROXY_(\w+)", name):
            setting = (match[1] or "").lower().replace("_", "-")
            return setting not in self.settings if match[1] else match[2] not in self.imgproxy
        if re.fullmatch(r"(HALCYON|SWIFT)_[A-Z_]+", name):
            return name not in self.words | self.test_words
        if re.fullmatch(r"halcyon[_.][a-z_]+", name):
            isPrefix = name.endswith("_") and any(word.startswith(name) for word in self.words)
            return name not in self.words and not isPrefix
        if re.fullmatch(r"--[a-z][\w-]*", name):
            return name[2:] not in self.options | foreign
        if re.fullmatch(FILE, name) or re.fullmatch(r"(\.\./)*[A-Z][\w+.-]*(/[\w+.-]+)+/?", name):
            isMember = re.fullmatch(r"[A-Z]\w*/[a-z]\w*", name) is not None
            return not self.has_path(name, guide) and (not isMember or self.lacks_member(name, guide, known, foreign))
        if re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", name):
            return name not in known
        return self.lacks_member(name, guide, known, foreign)

    def lacks_member(self, name, guide, known, foreign):
        """The same for a type, a member with or without its type, and a call with labels."""
        match = re.fullmatch(r"(?:([A-Z]\w*)[./])?(\.?)([A-Za-z]\w*)(?:\(((?:\w+:)*|…)\))?(?:-\w+)?", name)
        if not match:
            return False
        owner, dot, member, labels = match[1], match[2], match[3], match[4]
        used = [word for word in [owner] + (labels or "").split(":") if word and word not in ("_", "…")]
        # A lowercase word alone may be anything: a value, a format, a header field.
        if owner or labels is not None or re.fullmatch(HUMP, member):
            used.append(member)
        if any(word not in known for word in used) or dot and member not in self.cases | foreign:
            return True
        members = self.members.get(owner, set()) - {""} if self.is_for_users(guide) else set()
        return bool(members) and member[0].islower() and member not in members | foreign

    @staticmethod
    def is_for_users(guide):
        return guide not in ("ARCHITECTURE.md", "CONTRIBUTING.md") and not re.match(r"(Tests|Benchmarks|Fuzz|Service/Tests|Tools/Tests)/", guide)

    def unknown(self, markdown, guide):
        """The names in the inline code of a guide that nothing has, each with its line."""
        fenced = False
        for number, line in enumerate(markdown.splitlines(), 1):
            where = "%s:%d names " % (guide, number)
            fenced ^= re.match(r"\s*```", line) is not None
            for target in re.findall((r"(?:^(?:\$ )?|&& )" if fenced else r"`") + r"make ([a-z][a-z-]*)", line):
                if target not in self.targets:
                    yield where + "`make %s`, which the Makefile lacks" % target
            if fenced:
                continue
            for folder in re.findall(r"\b[Ff]olders? `([A-Z][\w./-]*)`", line):
                if not self.has_path(folder, guide, isExact=True) and folder not in self.foreign.get(guide, set()):
                    yield where + "the folder `%s`, which does not exist" % folder
            for _, span in re.findall(r"(`+)([^`]+)\1", line):
                words = span.split()
                for word in words:
                    name = re.sub(r"^[\"'\[]+|[\]\"',;:…]+$", "", word).split("=")[0]
                    # In code with spaces only what has a form of its own.
                    isName = len(words) == 1 or re.match(r"--[a-z]|HALCYON_|IMGPROXY_|SWIFT_|halcyon[_.]|\.?[A-Za-z]\w*$", name)
                    if isName and self.lacks(name, guide):
                        yield where + "`%s`, which the code lacks" % name


def faults():
    """The names that Markdown files have and nothing else."""
    names = Names()
    return [fault for guide in names.files if guide.endswith(".md") for fault in names.unknown(text(guide), guide)]


def self_test():
    """Checks that one wrong name of each kind is found, and nothing in the right ones."""
    names, guide = Names(), "Service/README.md"
    right = [
        "`halcyon_results_total`", "`HALCYON_SERVE_TTL`", "`--max-bytes`", "`fallback-ttl`", "`make gallery`", "`Service/Deploy`",
        "``ImageError/notCached(key:)``", "`ImagePipeline.shared`", "`costLimit`", "`.cacheOnly`", "`store(_:original:for:userInfo:)`",
        "the folder `Deploy`", "`cachePolicy = .reload`", "`max-age=60`", "`Scripts/check-links`",
    ]
    wrong = [
        "`halcyon_result_total`", "`HALCYON_SERVE_TTLS`", "`IMGPROXY_TTLS`", "`HALCYON_NOTHING`", "`--max-byte`", "`fallback-tll`",
        "`make galery`", "`Service/Deployed`", "`Scripts/check-nothing.py`", "``ImageError/notCashed(key:)``",
        "`ImagePipeline.sharedOne`", "`ImagePipelines`", "`CachePolicy.shared`", "`costLimitation`", "`.cacheOnlyOnce`",
        "`image(forKey:labelled:)`", "the folder `Deployment`",
    ]
    for line in right:
        assert not list(names.unknown(line, guide)), "a right name was found: " + line
    for line in wrong:
        assert list(names.unknown(line, guide)), "a wrong name was not found: " + line
    assert not list(names.unknown("```swift\n`nothingHasThis`\n```", guide)), "fenced code is compiled elsewhere"
    assert list(names.unknown("```console\nmake galery\n```", guide)), "a wrong target in a fenced block was not found"
