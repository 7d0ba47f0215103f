"""Sets of characters: ranges, and the classes that Go has names for."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Final

Range = tuple[int, int]

_LAST: Final = 0x10FFFF
_LAST_WITH_CASE: Final = 0x1E943
ANY: Final[tuple[Range, ...]] = ((0, _LAST),)


def _ranges(text: str) -> tuple[Range, ...]:
    """Of pairs of characters."""
    codes = [ord(character) for character in text]
    return tuple(zip(codes[::2], codes[1::2], strict=True))


PERL: Final = {"d": _ranges("09"), "s": _ranges("\t\n\f\r  "), "w": _ranges("09AZ__az")}
POSIX: Final = {
    "alnum": _ranges("09AZaz"),
    "alpha": _ranges("AZaz"),
    "ascii": _ranges("\x00\x7f"),
    "blank": _ranges("\t\t  "),
    "cntrl": _ranges("\x00\x1f\x7f\x7f"),
    "digit": _ranges("09"),
    "graph": _ranges("!~"),
    "lower": _ranges("az"),
    "print": _ranges(" ~"),
    "punct": _ranges("!/:@[`{~"),
    "space": _ranges("\t\r  "),
    "upper": _ranges("AZ"),
    "word": _ranges("09AZ__az"),
    "xdigit": _ranges("09AFaf"),
}
_CATEGORIES: Final = """
    L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp Cc Cf Co Cs
    """
_GO_ONLY: Final = ("Assigned", "ASCII", "LC", "C", "Cn")
"""RE2 has none of them, or means something else."""
_CATEGORY_NAMES: Final = {
    "C": "Other",
    "Cc": "Control Cntrl",
    "Cf": "Format",
    "Cn": "Unassigned",
    "Co": "PrivateUse",
    "Cs": "Surrogate",
    "L": "Letter",
    "LC": "CasedLetter",
    "Ll": "LowercaseLetter",
    "Lm": "ModifierLetter",
    "Lo": "OtherLetter",
    "Lt": "TitlecaseLetter",
    "Lu": "UppercaseLetter",
    "M": "Mark CombiningMark",
    "Mc": "SpacingMark",
    "Me": "EnclosingMark",
    "Mn": "NonspacingMark",
    "N": "Number",
    "Nd": "DecimalNumber Digit",
    "Nl": "LetterNumber",
    "No": "OtherNumber",
    "P": "Punctuation Punct",
    "Pc": "ConnectorPunctuation",
    "Pd": "DashPunctuation",
    "Pe": "ClosePunctuation",
    "Pf": "FinalPunctuation",
    "Pi": "InitialPunctuation",
    "Po": "OtherPunctuation",
    "Ps": "OpenPunctuation",
    "S": "Symbol",
    "Sc": "CurrencySymbol",
    "Sk": "ModifierSymbol",
    "Sm": "MathSymbol",
    "So": "OtherSymbol",
    "Z": "Separator",
    "Zl": "LineSeparator",
    "Zp": "ParagraphSeparator",
    "Zs": "SpaceSeparator",
}
_SCRIPTS: Final = """
    Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo
    Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Common
    Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs
    Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Han Hangul
    Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi
    Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki
    Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean
    Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi
    Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong
    Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian
    Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi
    Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese
    Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan
    Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square
    """
_HAN_NAMES: Final = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "CJK RADICAL", "KANGXI")


@dataclass(frozen=True, slots=True)
class NamedClass:
    """`name` is how RE2 spells it, if it `is_re2`."""

    name: str
    is_re2: bool


def named_class(name: str) -> NamedClass | None:
    r"""What \p{name} is: Go looks neither at case nor at blanks, hyphens and underscores."""
    return _named_classes().get(_plain(name))


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


@cache
def _named_classes() -> dict[str, NamedClass]:
    known = {_plain(name): NamedClass(name, is_re2=True) for name in f"Any {_CATEGORIES} {_SCRIPTS}".split()}
    known |= {_plain(name): NamedClass(name, is_re2=False) for name in _GO_ONLY}
    return known | {
        _plain(alias): known[_plain(name)] for name, aliases in _CATEGORY_NAMES.items() for alias in aliases.split()
    }


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a set: ranges of characters, or a class with a name."""

    ranges: tuple[Range, ...] = ()
    name: str = ""
    negated: bool = False

    def has(self, character: str) -> bool:
        """Whatever `negated` says."""
        if self.name:
            return _is_in(character, self.name)
        code = ord(character)
        return any(low <= code <= high for low, high in self.ranges)


@dataclass(frozen=True, slots=True)
class Characters:
    """One character out of a set. `folds`: in whatever case."""

    pieces: tuple[Piece, ...]
    negated: bool = False
    folds: bool = False

    def has(self, character: str) -> bool:
        alike = same_but_for_case(character) if self.folds else (character,)
        is_in = any(any(map(piece.has, alike)) != piece.negated for piece in self.pieces)
        return is_in != self.negated


def only(character: str, *, folds: bool = False) -> Characters:
    code = ord(character)
    return Characters((Piece(((code, code),)),), folds=folds)


def _is_in(character: str, name: str) -> bool:
    """Python does not know scripts; the names of characters tell them nearly right."""
    category = unicodedata.category(character)
    match name:
        case "Any":
            return True
        case "ASCII":
            return character.isascii()
        case "Assigned":
            return category != "Cn"
        case "LC":
            return category in ("Lu", "Ll", "Lt")
        case "Common":
            return category[0] in "PSZNC" and category != "Cn"
        case "Inherited":
            return category == "Mn"
    if len(name) <= 2 and name != "Yi":
        return category.startswith(name)
    words = _HAN_NAMES if name == "Han" else (name.replace("_", " ").upper(),)
    return unicodedata.name(character, "").startswith(words)


def same_but_for_case(character: str) -> tuple[str, ...]:
    """Itself and all that Unicode's simple folding makes equal to it. Go: unicode.SimpleFold."""
    if ord(character) > _LAST_WITH_CASE:
        return (character,)
    return _orbits().get(_folded(character), (character,))


def _folded(character: str) -> str:
    upper = character.upper()
    lower = (upper if len(upper) == 1 else character).lower()
    return lower if len(lower) == 1 else character


@cache
def _orbits() -> dict[str, tuple[str, ...]]:
    """By the character they all fold to. Most have two members; k, s and a few Greek letters have three or four."""
    members: dict[str, list[str]] = {}
    for code in range(_LAST_WITH_CASE + 1):
        character = chr(code)
        if character.lower() != character or character.upper() != character:
            members.setdefault(_folded(character), []).append(character)
    return {folded: tuple(orbit) for folded, orbit in members.items()}
