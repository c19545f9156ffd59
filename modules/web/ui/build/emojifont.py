"""Divides the emoji font into the files of src/design/emoji, and writes their style sheet.

Run it after an update of the packages twemoji-colr-font or unicode-emoji-json:

    pip install fonttools==4.68.0 brotli==1.2.1
    python build/emojifont.py && npx prettier --write src/design/emoji

The browser loads a file when the page shows one of its characters.
"""

import json
import re
from pathlib import Path

from fontTools import subset
from fontTools.otlLib.builder import buildLigatureSubstSubtable
from fontTools.ttLib import TTFont

ROOT = Path(__file__).parent.parent
FONT = ROOT / "node_modules/twemoji-colr-font/twemoji.woff2"
LIST = ROOT / "node_modules/unicode-emoji-json/data-by-emoji.json"
OUT = ROOT / "src/design/emoji"

TONES = range(0x1F3FB, 0x1F400)
JOINER = 0x200D
SELECTOR = 0xFE0F  # asks for a picture instead of text
REGIONAL_A = 0x1F1E6


def divide(known):
    """Returns the characters of each file.

    Characters that occur in one sequence are in the same file, because a browser cannot join glyphs of two fonts. So
    one file has all sequences with joiners, and one the letters of flags. The others are the groups of the standard.
    Apart from skin tones, no character is in two files: the browser would load both.
    """
    parent, group_of = {}, {}

    def find(p):
        while parent[p] != p:
            p = parent[p]
        return p

    sequences = []
    for text, about in known.items():
        points = [ord(c) for c in text if ord(c) != SELECTOR and ord(c) not in TONES]
        sequences.append((points, about["skin_tone_support"]))
        for p in points:
            parent.setdefault(p, p)
            parent[find(p)] = find(points[0])
            group_of.setdefault(p, re.sub(r"\W+", "-", about["group"].lower()))
    parts = {"people-body": set(TONES)}
    for points, toned in sequences:
        first = find(points[0])
        name = {find(JOINER): "joined", find(REGIONAL_A): "countries"}.get(first, group_of[first])
        parts.setdefault(name, set()).update(points, TONES if toned else ())
    return parts


def is_text(p):
    """Reports whether a character belongs to running text unless it is marked as an emoji.

    That is so for digits, signs such as ™, arrows and geometric shapes, but not for pictures such as ✔, ☎ and ❤.
    """
    picture = p == JOINER or p in (0x231A, 0x231B, 0x23F0, 0x23F3, 0x2B50, 0x2B55) or 0x2600 <= p <= 0x27BF
    return (p < 0x1F000 and not picture) or p == 0x27A1


def add_bare_ligatures(font):
    """Adds each ligature once more without variation selectors, which codes of the API do not contain."""
    selector = font.getBestCmap()[SELECTOR]
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for i, table in enumerate(lookup.SubTable):
            all = {
                (first, *ligature.Component): ligature.LigGlyph
                for first, ligatures in table.ligatures.items()
                for ligature in ligatures
            }
            for glyphs, joined in list(all.items()):
                all.setdefault(tuple(g for g in glyphs if g != selector), joined)
            lookup.SubTable[i] = buildLigatureSubstSubtable(all)


def follow_text(font):
    """Gives signs that are drawn in one dark grey, such as ✔ and ™, the colour of the text around them."""
    names = font.getBestCmap()
    greys = {i for i, c in enumerate(font["CPAL"].palettes[0]) if (c.red, c.green, c.blue) == (0x31, 0x37, 0x3D)}
    for point, glyph in names.items():
        layers = font["COLR"].ColorLayers.get(glyph, [])
        if point < 0x3100 and all(layer.colorID in greys for layer in layers):
            for layer in layers:
                layer.colorID = 0xFFFF


def face(family, name, points):
    ranges, points = [], sorted(points)
    for p in points:
        if ranges and ranges[-1][1] == p - 1:
            ranges[-1][1] = p
        else:
            ranges.append([p, p])
    texts = [f"U+{a:X}" if a == b else f"U+{a:X}-{b:X}" for a, b in ranges]
    lines, line = [], "  unicode-range:"
    for text in texts:
        if len(line) + len(text) > 117:
            lines.append(line)
            line = "   "
        line += f" {text},"
    lines.append(line[:-1] + ";")
    return "\n".join(
        [
            "@font-face {",
            f"  font-family: '{family}';",
            f"  src: url('./emoji-{name}.woff2') format('woff2');",
            *lines,
            "}\n",
        ]
    )


def main():
    OUT.mkdir(exist_ok=True)
    for old in OUT.glob("*.woff2"):
        old.unlink()
    rules = [
        "/* Written by build/emojifont.py. \"Emoji\" draws whatever is marked as an emoji, \"Emoji in text\" what is always\n"
        "   one. No range contains spaces, so that neither font changes the height of lines. */\n"
    ]
    for name, points in sorted(divide(json.loads(LIST.read_text())).items()):
        font = TTFont(FONT)
        add_bare_ligatures(font)
        follow_text(font)
        options = subset.Options(layout_features=["*"], flavor="woff2", hinting=False, glyph_names=False)
        divider = subset.Subsetter(options)
        divider.populate(unicodes=points | {SELECTOR})
        divider.subset(font)
        subset.save_font(font, str(OUT / f"emoji-{name}.woff2"), options)
        rules.append(face("Emoji", name, points))
        rules.append(face("Emoji in text", name, {p for p in points if not is_text(p)}))
    (OUT / "emoji.css").write_text("\n".join(rules))


if __name__ == "__main__":
    main()
