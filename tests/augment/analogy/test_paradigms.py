"""Forms of words by analogy."""

from __future__ import annotations

from collections import Counter

from recombine.augment.analogy.paradigms import Endings, Inflection, pair_forms, stems
from recombine.augment.tokens import CUT

PAST = {
    " passed": "渡した。",
    " tossed": "投げた。",
    " called": "呼んだ。",
    " cooked": "料理した。",
}


def test_the_longest_common_ending_decides():
    """A new form changes as the words with the most alike ending do."""
    rule = Endings([("料理した", "料理する"), ("評価した", "評価する"), ("渡した", "渡す")], 1)
    assert rule.apply("再評価した") == "再評価する"
    assert rule.apply("手渡した") == "手渡す"


def test_endings_that_disagree_give_nothing():
    """Where known words show different changes, no form is made."""
    rule = Endings([("走った", "走る"), ("言った", "言う"), ("持った", "持つ")], 2)
    assert rule.apply("買った") is None


def test_where_a_word_ends_tells_endings_apart():
    """渡し|た and 料理|し|た end alike but for the cut between words."""
    known = [
        ("渡し|た", "渡す"),
        ("返し|た", "返す"),
        ("料理|し|た", "料理|する"),
        ("勉強|し|た", "勉強|する"),
    ]
    rule = Endings([(a.replace("|", CUT), b.replace("|", CUT)) for a, b in known], 2)
    assert rule.apply(f"証明{CUT}し{CUT}た") == f"証明{CUT}する"


def test_a_change_behind_all_kinds_of_letters_holds_behind_any():
    """努め|た follows 食べ|た, 続け|た, 変え|た; 走っ|た and 話し|た need letters that it lacks."""
    known = [
        ("食べ|た", "食べる"),
        ("続け|た", "続ける"),
        ("変え|た", "変える"),
        ("走っ|た", "走る"),
        ("払っ|た", "払う"),
        ("話し|た", "話す"),
    ]
    rule = Endings([(a.replace("|", CUT), b.replace("|", CUT)) for a, b in known], 2)
    assert rule.apply(f"努め{CUT}た") == "努める"
    assert rule.apply(f"あっ{CUT}た") is None


def test_a_letter_that_never_varied_is_a_part_of_the_change():
    """So changed : changes shows d : s behind e alone, and tells nothing of held."""
    known = [("changed", "changes"), ("moved", "moves"), ("hoped", "hopes"), ("called", "calls")]
    assert Endings(known, 2).apply("held") is None


def test_a_letter_behind_which_words_disagree_tells_nothing():
    """Pasó, tocó, miró, llamó give no confesa while mostró is muestra, nor ió : e."""
    known = [(f"{stem}ó", f"{stem}a") for stem in ("pas", "toc", "mir", "llam")]
    known += [(f"{stem}ió", f"{stem}e") for stem in ("romp", "escrib")]
    assert Endings(known, 2).apply("confesó") == "confesa"
    assert Endings([*known, ("mostró", "muestra")], 2).apply("recordó") is None


def test_too_few_words_to_follow_are_enough_to_doubt():
    """Continuó is continúa: evaluó is not evalua, whatever becomes of other words."""
    known = [(f"{stem}ó", f"{stem}a") for stem in ("pas", "toc", "mir", "llam", "cant", "dej")]
    assert Endings(known, 2).apply("evaluó") == "evalua"
    assert Endings([*known, ("continuó", "continúa")], 2).apply("evaluó") is None


def test_words_that_belong_to_the_frame_are_no_context_of_an_ending():
    """Learned that is aprendió que; two words before que do not outweigh aprendió elsewhere."""
    verbs = {"pass": "pas", "touch": "toc", "call": "llam", "notic": "not", "imagin": "imagin"}
    said = ("notic", "imagin")
    plain, that = {}, {}
    for word, stem in verbs.items():
        for frame, end in [(plain, "|"), *([(that, "| que|")] if word in said else [])]:
            frame[f" {word}ed"] = f" {stem}ó{end}".replace("|", CUT)
            frame[f" {word}es"] = f" {stem}a{end}".replace("|", CUT)
    plain |= {" learned": f" aprendió{CUT}", " learnes": f" aprende{CUT}"}
    plain |= {" promised": f" prometió{CUT}", " promises": f" promete{CUT}"}
    seen = Counter({form: 5 for form in plain.items() if form[0].endswith("ed")})
    inflection = Inflection([plain, that], seen, 2)
    surroundings = inflection.surroundings(that)
    assert surroundings[1] == f"{CUT} que{CUT}"
    made = inflection.second(f" aprendió{CUT} que{CUT}", surroundings)
    assert made
    assert made[1] == f" aprende{CUT} que{CUT}"


def test_words_most_alike_that_change_otherwise_forbid_a_form():
    """負っていた ends like 聞いた : 聞かれた, and more like 知っていた : 知られた."""
    known = [(f"{verb}いた", f"{verb}かれた") for verb in "聞描突焼巻"]
    known.append(("知っていた", "知られた"))
    assert Endings(known, 2).apply("書いた") == "書かれた"
    assert Endings(known, 2).apply("負っていた") is None


def test_one_letter_stands_for_two_where_known_words_lose_one():
    """Stabbed is stabs, called is calls; cleans is a word, and nothing ends in nns."""
    known = [("stabbed", "stabs"), ("snapped", "snaps"), ("called", "calls"), ("rolled", "rolls")]
    known += [(f"{stem}ed", f"{stem}s") for stem in ("clean", "learn", "shorten")]
    assert Endings(known, 2).apply("planned") == "plans"
    assert Endings(known, 2).apply("yelled") == "yells"
    # Nothing tells of g.
    known += [(f"{stem}ed", f"{stem}s") for stem in ("work", "paint", "help", "sail")]
    assert Endings(known, 2).apply("hugged") is None


def test_the_script_before_an_ending_tells():
    """走る and 踊る are godan, 食べる and 投げる are not: 座る is like the first."""
    known = [(f"{stem}る", f"{stem}り") for stem in "走踊送売触知"]
    known += [(f"{stem}る", stem) for stem in ("食べ", "投げ", "続け", "変え", "調べ", "求め")]
    assert Endings(known, 2, varied=False).apply("座る") == "座り"
    assert Endings([*known, ("見る", "見"), ("寝る", "寝")], 2, varied=False).apply("座る") is None


def test_words_without_the_form_count_against_it():
    """A frequent word that never has a form speaks against it for words with its ending."""
    pairs = [("変わった", "変えた"), ("終わった", "終えた")]
    assert Endings(pairs, 2).apply("交わった") == "交えた"
    assert Endings(pairs, 2, ["回わった", "座わった"]).apply("交わった") is None


def test_forms_of_a_word_are_paired_by_both_languages():
    """The same beginning in one language alone makes no pair."""
    present = {" passes": "渡す。", " tosses": "投げる。", " paints": "描く。"}
    pairs = {(a[0], b[0]) for a, b in pair_forms(PAST, present)}
    assert pairs == {(" passed", " passes"), (" tossed", " tosses")}


def test_two_words_with_one_target_are_no_two_forms():
    """Both craved and cared are たがった; craves is the other form of craved."""
    forms = {" craved": "たがった", " cared": "たがった", " craves": "たがる"}
    pairs = {(a[0], b[0]) for a, b in pair_forms(forms, forms, within=True)}
    assert (" craved", " craves") in pairs
    assert (" craved", " cared") not in pairs


def test_the_form_that_is_seen_more_often_is_the_first():
    """Two inflections are told apart by their ends, and ordered by how often they are seen."""
    forms = {}
    for word, stem in (("cook", "料理"), ("stud", "勉強"), ("help", "手伝い"), ("clean", "掃除")):
        forms[f" {word}ed"] = f"{stem}した。"
        forms[f" {word}s"] = f"{stem}する。"
    seen = Counter({form: 5 if form[0].endswith("ed") else 1 for form in forms.items()})
    inflection = Inflection([forms], seen, 2)
    assert inflection.is_first((" painted", "絵にした。"))
    assert not inflection.is_first((" paints", "絵にする。"))
    assert inflection.source.apply(" painted") == " paints"
    assert inflection.target.apply("絵にした。") == "絵にする。"


def test_two_words_are_taken_apart():
    """What all second words share behind a first word is the first word's own."""
    verbs = {" see": ("見", "見る"), " run": ("走り", "走る"), " buy": ("買い", "買う")}
    verbs |= {" eat": ("食べ", "食べる"), " go": ("行き", "行く"), " hold": ("持ち", "持つ")}
    verbs |= {" call": ("呼び", "呼ぶ"), " read": ("読み", "読む")}
    seen = {}
    for word, (stem, plain) in verbs.items():
        seen["f", " wanted", word] = stem + "たがった。"
        seen["f", " planned", word] = plain + "つもりだった。"
    seen["f", " craved", " see"] = "見たがった。"
    seen["f", " craved", " go"] = "行きたがった。"
    endings, cells = stems(seen)
    assert endings[" wanted"] == endings[" craved"]
    assert endings[" planned"][1] == "つもりだった。"
    assert cells[endings[" wanted"][0]]["f", " run"] == "走り"
    assert cells[endings[" planned"][0]]["f", " run"] == "走る"
