"""The page's scripts: that they are JavaScript, that their types hold, and that what they write is YAML."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from localplane.apimachinery.serializers.yaml import parse_yaml

ROOT = Path(__file__).parents[4]
ASSETS = ROOT / "kctl" / "ui" / "assets"
SCRIPTS = sorted(ASSETS.glob("*.js"))
MARKUP = re.compile(
    r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|eval|Function)\b"
    r"|createContextualFragment|setTimeout\(\s*['\"`]"
)
ELSEWHERE = re.compile(r"""https?://(?!www\.w3\.org/2000/svg)|(?:src|href|from|url)\s*[=(:]?\s*["']//""")
OPTIONS = {
    "allowJs": True,
    "checkJs": True,
    "noEmit": True,
    "strict": True,
    "target": "es2023",
    "module": "es2022",
    "moduleResolution": "bundler",
    "lib": ["es2023", "dom", "dom.iterable"],
    "types": [],
}
TEXTS = [
    "", " ", "a", "a b", "a: b", "a #b", "a:", "- a", "-", "--", "---", "...", "?", "? a", "!a", "&a", "*a",
    "@a", "`a", "%a", "|", ">", "'", "\"", "[a]", "{a}", ",", "#", "yes", "No", "on", "off", "y", "n", "true",
    "False", "null", "~", "=", "<<", "1", "1.5", "1e3", "0x1F", "0o17", "0b11", "017", "1_000", "+1", "-1",
    ".5", ".inf", "-.Inf", ".nan", "12:30:45", "1:2", "2024-01-01", "2024-01-01T00:00:00Z", "10.0.0.1",
    "10.0.0.0/24", "100m", "64Mi", "1.27", "v1.27", "25%", "a\nb", "a\nb\n", "a\n\n", "\n", "\na", " a\nb",
    "a \nb", "a\n b\n", "a\tb", "\ta", "a\r\nb", "\u0000", "\u007f", "\u0085", "\u00a0", "\u2028", "\ufeff",
    "é", "日本", "😀", "a\\b", "C:\\x", "a'b", "a\"b", "x" * 200, "key: value\nother: 1\n", "#!/bin/sh\necho\n",
    "a,b", "a]b", "/a/b", "$(A)", "<a", "(a)",
]  # fmt: skip


def node() -> str:
    program = shutil.which("node")
    if program is None:
        pytest.skip("there is no node here: `apt install nodejs`, or https://nodejs.org")
    return program


def test_every_script_is_javascript() -> None:
    program = """
    const { SourceTextModule } = require('vm');
    const { readFileSync } = require('fs');
    for (const file of process.argv.slice(1)) new SourceTextModule(readFileSync(file, 'utf8'), { identifier: file });
    """
    command = [node(), "--experimental-vm-modules", "--no-warnings", "-e", program, "--", *map(str, SCRIPTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)


def test_the_types_in_their_comments_hold(tmp_path: Path) -> None:
    checker = shutil.which("tsc")
    if checker is None:
        pytest.skip("there is no tsc here: `npm install --global typescript@5`")
    config = {"compilerOptions": OPTIONS, "include": [f"{ASSETS}/*.js"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    done = subprocess.run([checker, "-p", str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_no_script_makes_code_of_texts_or_asks_elsewhere(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert MARKUP.findall(text) == []
    assert ELSEWHERE.findall(text) == []


def test_every_import_leads_to_a_script_and_every_script_is_imported() -> None:
    imported = {
        name
        for script in SCRIPTS
        for name in re.findall(r"""(?:from|import\(?)\s*['"]\./([\w.]+)['"]""", script.read_text(encoding="utf-8"))
    }
    page = (ASSETS / "index.html").read_text(encoding="utf-8")
    assert imported | {"main.js"} == {script.name for script in SCRIPTS}
    for name in re.findall(r'(?:src|href)="assets/([^"]+)"', page):
        assert (ASSETS / name).is_file(), name


def run_script(text: str, value: Any) -> Any:
    done = subprocess.run(
        [node(), "--input-type=module", "-e", f"const input = {json.dumps(value)};\n{text}"],
        cwd=ASSETS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_is_shown_as_yaml_is_the_object_again() -> None:
    value = {
        "texts": TEXTS,
        "keys": {text: number for number, text in enumerate(TEXTS)},
        "nested": [[["a"], []], [{"a": [{"b": {}}]}], {}, None, True, 1.5, {"x": "a\nb\n", "y": ["c\nd"]}],
    }
    text = run_script(
        f"import {{ yamlOf }} from '{ASSETS}/yaml.js'; console.log(JSON.stringify(yamlOf(input)));", value
    )
    assert parse_yaml(text.encode()).value == value


def test_differences_lead_from_one_text_to_the_other() -> None:
    pairs = [
        ["a b c d e f", "a x c e f g"],
        ["", "a"],
        ["a", ""],
        ["a a a b", "b a a"],
        ["a b", "a b"],
        ["a b c", "d e f"],
    ]
    pairs += [[" ".join(str(n % 7) for n in range(60)), " ".join(str(n % 5) for n in range(60))]]
    script = f"""import {{ diffLines }} from '{ASSETS}/diff.js';
    const texts = (changes, type) => changes.filter((one) => one.type !== type).map((one) => one.text);
    console.log(JSON.stringify(input.map(([one, other]) => {{
      const changes = diffLines(one.split(' '), other.split(' '));
      return [texts(changes, 'new').join(' '), texts(changes, 'old').join(' ')];
    }})));"""
    assert run_script(script, pairs) == pairs


def test_rows_stay_sorted_while_they_change() -> None:
    """As if all of them had been filtered and sorted anew."""
    script = (
        f"import {{ Rows }} from '{ASSETS}/rows.js';"
        """
    const row = (i, v) => ({ key: `n/p${i}`, namespace: 'n', name: `p${i}`, cells: [`p${i}`, v], text: `p${i} ${v}` });
    let seed = 7;
    const any = (most) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % most;
    console.log(JSON.stringify(input.map(([by, descending]) => {
      const make = (rows) => {
        const made = new Rows();
        Object.assign(made, { by, descending, columns: [{ name: 'Name' }, { name: 'V' }] });
        made.add(rows);
        made.filter('!p7');
        return made;
      };
      const rows = make(Array.from({ length: 300 }, (_, i) => row(i, i % 10)));
      for (let step = 0; step < 200; step++) {
        for (let change = any(6); change >= 0; change--) {
          const i = any(400);
          if (any(4)) rows.add([row(i, any(10))]);
          else rows.remove(`n/p${i}`);
        }
        rows.settle();
      }
      const keys = (one) => one.shown.map((row) => row.key + row.cells[1]).join();
      return rows.shown.length > 100 && keys(rows) === keys(make(rows.all.values()));
    })));"""
    )
    assert run_script(script, [[-1, False], [0, False], [1, False], [1, True]]) == [True] * 4


def test_changes_of_two_are_brought_together() -> None:
    base = {"a": 1, "b": {"c": 1, "d": [1]}, "e": 1}
    mine = {"a": 2, "b": {"c": 1, "d": [1]}, "e": 1, "f": 1}
    theirs = {"a": 1, "b": {"c": 3, "d": [1, 2]}}
    script = f"import {{ merge }} from '{ASSETS}/merge.js'; console.log(JSON.stringify(merge(...input)));"
    assert run_script(script, [base, mine, theirs]) == {
        "merged": {"a": 2, "b": {"c": 3, "d": [1, 2]}, "f": 1},
        "conflicts": [],
    }
    assert run_script(script, [base, {**base, "a": 2}, {**base, "a": 3}]) == {
        "merged": {**base, "a": 2},
        "conflicts": ["a"],
    }


def test_the_fields_of_lists_are_found_by_their_keys() -> None:
    fields = {"f:spec": {"f:containers": {'k:{"name":"b"}': {".": {}, "f:image": {}}}, "f:finalizers": {'v:"x"': {}}}}
    value = {
        "metadata": {"managedFields": [{"manager": "me", "operation": "Apply", "fieldsV1": fields}]},
        "spec": {"containers": [{"name": "a"}, {"name": "b", "image": "i"}], "finalizers": ["w", "x"]},
    }
    script = (
        f"import {{ ownersOf }} from '{ASSETS}/ownership.js'; console.log(JSON.stringify([...ownersOf(input).keys()]));"
    )
    assert run_script(script, value) == ["/spec/containers/1", "/spec/containers/1/image", "/spec/finalizers/1"]


def test_ages_are_told_as_kubectl_tells_them() -> None:
    seconds = [0, 59, 119, 120, 125, 599, 600, 10799, 10800, 11000, 28800, 172800, 180000, 700000, 63072000]
    script = f"import {{ duration }} from '{ASSETS}/ages.js'; console.log(JSON.stringify(input.map(duration)));"
    assert run_script(script, seconds) == [
        "0s", "59s", "119s", "2m", "2m5s", "9m59s", "10m", "179m", "3h", "3h3m", "8h", "2d", "2d2h", "8d", "2y",
    ]  # fmt: skip
