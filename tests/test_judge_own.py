"""A user's own model as judge: a small real network on the real runtime, and thresholds that follow from counts."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from upheld.document import Chunk, Claim, Finding, Pair, Verdict
from upheld.errors import Corrupt, Invalid, Misconfigured
from upheld.judgement import Cascade, Fault, FaultKind, asked, judged
from upheld.judges import own as own_module
from upheld.judges.calibration import Z95, Calibration, Scored, calibrate, rate
from upheld.judges.own import Own, sentences
from upheld.judges.scorers import LABELS, Onnx

SOURCES = Path(own_module.__file__).resolve().parent.parent.parent

# What each word of a premise adds to (contradiction, entailment, neutral).
WEIGHTS = {
    "[PAD]": (0.0, 0.0, 0.0),
    "[UNK]": (0.0, 0.0, 0.4),
    "[CLS]": (0.0, 0.0, 3.0),
    "[SEP]": (0.0, 0.0, 0.0),
    "no": (4.0, 0.0, 0.0),
    "longer": (3.0, 0.0, 0.0),
    "maybe": (3.0, 0.0, 0.0),
    "still": (0.0, 8.0, 0.0),
    "redis": (0.0, 0.5, 0.0),
}
WORDS = list(WEIGHTS)


def pair(text: str, note: str = "The cache is Redis.") -> Pair:
    return Pair(claim=Claim(statement=note), chunk=Chunk(start=0, end=len(text), text=text))


def write_tokenizer(path: Path) -> Path:
    """A tokenizer of whole words, with the shape of BERT's: [CLS] premise [SEP] hypothesis [SEP]."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.normalizers import Lowercase
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing

    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    marks = [("[CLS]", WORDS.index("[CLS]")), ("[SEP]", WORDS.index("[SEP]"))]
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=marks
    )
    tokenizer.enable_padding(length=64)  # as exported files have it; a judge must not keep it
    tokenizer.save(str(path))
    return path


def write_model(
    path: Path, *, order: Sequence[int] = (0, 1, 2), segments: bool = True, scale: float = 1.0, extra: str = ""
) -> Path:
    """A real network: the weights of the premise's words, masked and added up. `order` places its outputs."""
    onnx = pytest.importorskip("onnx", reason="building a model needs the package `onnx`")
    from onnx import TensorProto, helper, numpy_helper

    table = np.array([[WEIGHTS[word][place] * scale for place in order] for word in WORDS], np.float32)
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if segments else []), *([extra] if extra else [])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["rows", "length"]) for name in names]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["each"]),
        helper.make_node("Sub", ["attention_mask", "token_type_ids"], ["premise"])
        if segments
        else helper.make_node("Identity", ["attention_mask"], ["premise"]),
        helper.make_node("Cast", ["premise"], ["counted"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["counted", "last"], ["mask"]),
        helper.make_node("Mul", ["each", "mask"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "middle"], ["logits"], keepdims=0),
    ]
    constants = [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(np.array([-1]), "last"),
        numpy_helper.from_array(np.array([1]), "middle"),
    ]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["rows", len(order)])
    graph = helper.make_graph(nodes, "words", inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("own")
    return write_model(folder / "model.onnx"), write_tokenizer(folder / "tokenizer.json")


@pytest.fixture(scope="module")
def bare(files: tuple[Path, Path]) -> Own:
    return Own.onnx(*files)


def known(scorer: str, **fields: Any) -> Calibration:
    """Thresholds set by hand, for tests of what is done with them."""
    chosen = {"contradicted_from": 0.9, "consistent_from": 0.9, "unrelated_below": 0.2} | fields
    shares = dict.fromkeys(("false_contradicted", "false_consistent", "recall", "lost"), rate(0, 0))
    return Calibration(scorer=scorer, most_false=0.002, base_rate=0.014, precision=0, precision_low=0,
                       precision_high=0, **shares, **chosen)  # fmt: skip


@pytest.fixture(scope="module")
def judge(files: tuple[Path, Path], bare: Own) -> Own:
    return Own.onnx(*files, calibration=known(bare.scorer))


# --- the network ---------------------------------------------------------------------------------


def softmax(*logits: float) -> list[float]:
    powers = [math.exp(logit) for logit in logits]
    return [power / sum(powers) for power in powers]


def test_scores_are_the_shares_of_the_right_outputs(bare: Own) -> None:
    [best] = bare.scored([pair("no longer redis")])
    contradiction, entailment, _ = softmax(7.0, 0.5, 3.0)
    assert best.scored == pytest.approx((contradiction, entailment), abs=1e-6)


def test_the_order_of_the_outputs_is_told_by_their_labels(tmp_path: Path, files: tuple[Path, Path], bare: Own) -> None:
    turned = write_model(tmp_path / "turned.onnx", order=(1, 2, 0))
    texts = [pair("no longer redis"), pair("still redis"), pair("hello")]
    right = Own.onnx(turned, files[1], labels=("ENTAILMENT", "Neutral", "Contradiction"))
    wrong = Own.onnx(turned, files[1], labels=LABELS)
    expected = [tuple(best.scored) for best in bare.scored(texts)]
    assert [tuple(best.scored) for best in right.scored(texts)] == [pytest.approx(each) for each in expected]
    assert [tuple(best.scored) for best in wrong.scored(texts)] != [pytest.approx(each) for each in expected]


def test_a_score_does_not_depend_on_what_else_is_in_the_call(bare: Own) -> None:
    texts = [pair("no " * size + "longer" * (size % 3)) for size in range(1, 70)]
    together = [best.scored for best in bare.scored(texts)]
    alone = [bare.scored([each])[0].scored for each in texts]
    assert together == [pytest.approx(each, abs=1e-6) for each in alone]


def test_a_model_without_segments_is_run_without(tmp_path: Path, files: tuple[Path, Path]) -> None:
    single = Own.onnx(write_model(tmp_path / "m.onnx", segments=False), files[1])
    [best] = single.scored([pair("still", note="no")])
    assert best.scored == pytest.approx(softmax(4.0, 8.0, 3.0)[:2], abs=1e-6)


def test_a_model_of_two_outputs_knows_no_agreement(tmp_path: Path, files: tuple[Path, Path]) -> None:
    two = write_model(tmp_path / "two.onnx", order=(2, 0))
    [best] = Own.onnx(two, files[1], labels=("other", "contradiction")).scored([pair("no longer")])
    assert best.scored == pytest.approx((softmax(7.0, 3.0)[0], 0.0), abs=1e-6)


def test_what_is_past_the_limit_of_tokens_does_not_count(files: tuple[Path, Path]) -> None:
    short = Own.onnx(*files, max_tokens=16)
    assert short.scored([pair("word " * 200 + "no no no", note="x")])[0].scored.contradiction < 0.1
    assert short.scored([pair("no no no", note="x")])[0].scored.contradiction > 0.9


def test_a_model_that_gives_no_numbers_is_a_fault(tmp_path: Path, files: tuple[Path, Path]) -> None:
    broken = Own.onnx(write_model(tmp_path / "nan.onnx", scale=math.nan), files[1])
    [fault] = asked(Own(broken._scorer, calibration=known(broken.scorer)), [pair("no longer")])
    assert isinstance(fault, Fault)
    assert fault.kind is FaultKind.MISCONFIGURED


def test_labels_that_are_not_the_models_are_noticed(files: tuple[Path, Path]) -> None:
    with pytest.raises(Misconfigured, match="expected"):
        Own.onnx(*files, labels=("contradiction", "entailment")).scored([pair("no")])
    for labels in (("entailment", "neutral"), ("contradiction",), ("contradiction", "contradiction"), ()):
        with pytest.raises(Misconfigured, match="contradiction"):
            Own.onnx(*files, labels=labels)


def test_files_that_are_missing_or_something_else_are_named(tmp_path: Path, files: tuple[Path, Path]) -> None:
    (tmp_path / "text").write_text("no model")
    for model, tokenizer in ((tmp_path / "none", files[1]), (files[0], tmp_path / "none")):
        with pytest.raises(Misconfigured, match="none"):
            Own.onnx(model, tokenizer)
    for model, tokenizer in ((tmp_path / "text", files[1]), (files[0], tmp_path / "text")):
        with pytest.raises(Misconfigured, match="cannot be loaded"):
            Own.onnx(model, tokenizer)


def test_a_model_that_wants_other_inputs_is_refused(tmp_path: Path, files: tuple[Path, Path]) -> None:
    with pytest.raises(Misconfigured, match="pixels"):
        Own.onnx(write_model(tmp_path / "m.onnx", extra="pixels"), files[1])


def test_the_name_changes_with_weights_tokenizer_labels_and_thresholds(
    tmp_path: Path, files: tuple[Path, Path], bare: Own, judge: Own
) -> None:
    other = write_model(tmp_path / "model.onnx", scale=1.01)
    names = {
        bare.name,
        judge.name,
        Own.onnx(other, files[1]).name,
        Own.onnx(*files, labels=("contradiction", "entailment", "none")).name,
        Own.onnx(*files, calibration=known(bare.scorer, contradicted_from=0.91)).name,
    }
    assert len(names) == 5
    assert Own.onnx(*files).name == bare.name


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, files: tuple[Path, Path], package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Misconfigured, match=f"pip install {package}"):
        Own.onnx(*files)


# --- verdicts ------------------------------------------------------------------------------------

CONTRARY = "Our stack. We no longer run Redis! See below."


def test_the_most_contrary_sentence_is_the_quote_and_nothing_acts(judge: Own) -> None:
    [verdict] = asked(judge, [pair(CONTRARY)])
    assert isinstance(verdict, Verdict)
    assert (verdict.finding, verdict.acts) == (Finding.CONTRADICTED, False)
    assert (verdict.claim_quote, verdict.chunk_quote) == ("The cache is Redis.", "We no longer run Redis!")
    assert 0.9 <= verdict.confidence <= 1


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("We still run Redis.", Finding.CONSISTENT),
        ("The office is in Lisbon.", Finding.UNRELATED),
        ("Maybe Redis goes.", Finding.ABSTAIN),
        ("No longer Redis.\nStill Redis.", Finding.ABSTAIN),
        ("", Finding.UNRELATED),
        ("\n \n", Finding.UNRELATED),
    ],
)
def test_the_thresholds_decide_the_finding(judge: Own, text: str, finding: Finding) -> None:
    [verdict] = asked(judge, [pair(text)])
    assert isinstance(verdict, Verdict)
    assert (verdict.finding, verdict.acts) == (finding, False)


def test_verdicts_come_in_the_order_of_the_pairs(judge: Own) -> None:
    texts = ["Lisbon.", CONTRARY, "", "We still run Redis.", "One. Two. Three.", "No longer."]
    together = asked(judge, [pair(text) for text in texts])
    assert together == [asked(judge, [pair(text)])[0] for text in texts]
    assert len({each.finding for each in together if isinstance(each, Verdict)}) == 3


def test_a_passage_that_is_the_note_is_never_a_contradiction(judge: Own) -> None:
    same = pair("It is no longer Redis.", note="It is no longer Redis.")
    [fault] = asked(judge, [same])
    assert isinstance(fault, Fault)
    assert fault.kind is FaultKind.SAME_QUOTE


def test_in_a_cascade_its_contradiction_stays_a_proposal(judge: Own) -> None:
    class Silent:
        name = "silent/1"

        def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
            return [Verdict(finding=Finding.ABSTAIN)] * len(pairs)

    [row] = judged(Cascade([Silent(), judge]), [pair(CONTRARY)])
    assert row.judge == judge.name
    assert row.verdict is not None
    assert (row.verdict.finding, row.verdict.acts) == (Finding.CONTRADICTED, False)


def test_without_a_calibration_it_can_be_scored_and_not_judge(bare: Own) -> None:
    assert bare.scored([pair(CONTRARY)])[0].contrary == "We no longer run Redis!"
    [fault] = asked(bare, [pair(CONTRARY)])
    assert isinstance(fault, Fault)
    assert (fault.kind, "judge calibrate" in fault.detail) == (FaultKind.MISCONFIGURED, True)


def test_a_calibration_of_other_weights_is_refused(files: tuple[Path, Path]) -> None:
    with pytest.raises(Misconfigured, match="calibrate this model"):
        Own.onnx(*files, calibration=known("model.onnx/other"))


@given(st.text(alphabet="ab .!?。\n\r\t|-3…”\u2028"))
def test_sentences_are_verbatim_in_order_and_leave_nothing_out(text: str) -> None:
    found = sentences(text)
    assert all(part.strip() == part and "\n" not in part for part in found)
    at = 0
    for part in found:
        at = text.index(part, at) + len(part)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_sentences_end_at_marks_and_lines_but_not_inside_numbers_or_names() -> None:
    text = 'Use v2.3 now. "Is it?" Yes!\n- one\n- two; e-mail ops@a.example\n\n今日は。明日も。'
    assert sentences(text) == [
        *("Use v2.3 now.", '"Is it?"', "Yes!", "- one", "- two; e-mail ops@a.example", "今日は。", "明日も。")
    ]


# --- calibration ---------------------------------------------------------------------------------


@given(st.integers(1, 5000), st.data())
def test_an_interval_ends_where_the_share_is_as_far_off_as_chance_allows(of: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, of))
    found = rate(hits, of)
    assert 0 <= found.low <= hits / of <= found.high <= 1
    for end in (found.low, found.high):
        if 0 < end < 1:
            assert abs(hits / of - end) == pytest.approx(Z95 * math.sqrt(end * (1 - end) / of), rel=1e-6, abs=1e-9)


def scores(count: int, seed: int, *, contrary: bool) -> list[Scored]:
    """Scores of a model that is right more often than not."""
    chance = random.Random(seed)
    return [
        Scored(chance.betavariate(6, 2) if contrary else chance.betavariate(1, 6), chance.betavariate(1, 5))
        for _ in range(count)
    ]


LABELLED = [(scored, Finding.CONTRADICTED) for scored in scores(400, 1, contrary=True)]
LABELLED += [(scored, Finding.UNRELATED) for scored in scores(300, 2, contrary=False)]
SILENT = scores(4000, 3, contrary=False)


def test_the_threshold_is_the_lowest_that_the_silent_pairs_allow() -> None:
    found = calibrate("m/1", LABELLED, SILENT)
    assert found.false_contradicted.high <= 0.002
    assert found.false_contradicted.hits == sum(each.contradiction >= found.contradicted_from for each in SILENT) > 0
    # One silent pair more would be too many.
    assert rate(found.false_contradicted.hits + 1, len(SILENT)).high > 0.002
    below = max(each.contradiction for each in SILENT if each.contradiction < found.contradicted_from)
    assert math.nextafter(below, 2) == found.contradicted_from
    assert found.false_consistent.high <= 0.002


def test_recall_precision_and_what_is_lost_follow_from_the_counts() -> None:
    found = calibrate("m/1", LABELLED, SILENT)
    contrary = [scored.contradiction for scored, finding in LABELLED if finding is Finding.CONTRADICTED]
    assert found.recall == rate(sum(score >= found.contradicted_from for score in contrary), 400)
    assert 0 < found.recall.hits < 400
    assert found.lost == rate(sum(score < found.unrelated_below for score in contrary), 400)
    assert found.lost.high <= 0.05
    recall, false = found.recall.hits / 400, found.false_contradicted.hits / 4000
    assert found.precision == pytest.approx(recall * 0.014 / (recall * 0.014 + false * 0.986))
    assert found.precision_low < found.precision < found.precision_high


def test_the_rarer_contradictions_are_the_less_a_contradiction_is_worth() -> None:
    rare, common = (calibrate("m/1", LABELLED, SILENT, base_rate=share) for share in (0.001, 0.5))
    assert rare.precision < 0.6
    assert common.precision > 0.99
    assert rare.contradicted_from == common.contradicted_from


def test_a_laxer_rate_lowers_the_threshold() -> None:
    assert calibrate("m/1", LABELLED, SILENT, most_false=0.02).contradicted_from < (
        calibrate("m/1", LABELLED, SILENT, most_false=0.002).contradicted_from
    )


def test_too_few_silent_pairs_cannot_show_a_small_rate() -> None:
    with pytest.raises(Invalid, match="1917 or more"):
        calibrate("m/1", LABELLED, SILENT[:1916])
    assert calibrate("m/1", LABELLED, SILENT[:1917]).false_contradicted.hits == 0


def test_equal_scores_are_never_half_counted() -> None:
    silent = [Scored(0.5, 0.5)] * 4000
    found = calibrate("m/1", [(Scored(0.5, 0.0), Finding.CONTRADICTED)] * 50, silent)
    assert found.false_contradicted.hits == 0
    assert found.contradicted_from > 0.5
    assert found.recall.hits == 0


def test_a_model_that_cannot_tell_never_says_contradicted() -> None:
    silent = [Scored(1.0, 1.0)] * 4000
    found = calibrate("m/1", [(Scored(1.0, 0.0), Finding.CONTRADICTED)] * 50, silent)
    assert found.contradicted_from > 1
    assert (found.recall.hits, found.precision) == (0, 0.0)


@pytest.mark.parametrize(
    ("labelled", "silent", "options"),
    [
        ([], SILENT, {}),
        ([(Scored(0.9, 0.1), Finding.CONSISTENT)], SILENT, {}),
        (LABELLED, [], {}),
        (LABELLED, [*SILENT, Scored(math.nan, 0.1)], {}),
        ([*LABELLED, (Scored(0.1, math.inf), Finding.UNRELATED)], SILENT, {}),
        (LABELLED, SILENT, {"most_false": 0}),
        (LABELLED, SILENT, {"base_rate": 1.0}),
        (LABELLED, SILENT, {"most_lost": math.nan}),
    ],
)
def test_what_nothing_can_be_counted_on_is_refused(labelled: Any, silent: Any, options: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        calibrate("m/1", labelled, silent, **options)


def test_a_calibration_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    made = calibrate("m/1", LABELLED, SILENT)
    made.save(tmp_path / "c.json")
    read = Calibration.load(tmp_path / "c.json")
    assert read == made
    assert read.digest == made.digest != replace(made, contradicted_from=0.5).digest


@pytest.mark.parametrize(
    "change",
    [
        lambda _: "[]",
        lambda _: "{",
        lambda _: "{}",
        lambda said: json.dumps(said | {"more": 1}),
        lambda said: json.dumps(said | {"contradicted_from": "0.5"}),
        lambda said: json.dumps(said | {"contradicted_from": math.nan}),
        lambda said: json.dumps(said | {"recall": [1, 2]}),
        lambda said: json.dumps(said | {"recall": 1}),
        lambda said: json.dumps(said | {"scorer": None}),
    ],
)
def test_a_file_that_is_no_calibration_is_refused(tmp_path: Path, change: Any) -> None:
    path = tmp_path / "c.json"
    calibrate("m/1", LABELLED, SILENT).save(path)
    Calibration.load(path)
    path.write_text(change(json.loads(path.read_text())))
    with pytest.raises(Corrupt, match=r"c\.json"):
        Calibration.load(path)


def test_a_missing_calibration_is_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="calibrate the model first"):
        Calibration.load(tmp_path / "none.json")


def test_a_model_is_calibrated_saved_and_judges_as_counted(files: tuple[Path, Path], tmp_path: Path, bare: Own) -> None:
    chance = random.Random(7)
    filler = ["the", "office", "redis", "moved", "port", "again", "lisbon"]

    def passage(*words: str) -> Pair:
        drawn = [*words, *chance.choices(filler, k=chance.randint(2, 8))]
        chance.shuffle(drawn)
        return pair(f"Some words. {' '.join(drawn)}.")

    contrary = [passage("no", "longer") for _ in range(100)]
    silent = [passage(*(["no"] if chance.random() < 0.1 else [])) for _ in range(2000)]
    labelled = [(best.scored, Finding.CONTRADICTED) for best in bare.scored(contrary)]
    made = calibrate(bare.scorer, labelled, [best.scored for best in bare.scored(silent)])
    made.save(tmp_path / "c.json")

    judge = Own.onnx(*files, calibration=tmp_path / "c.json")
    called = [each.finding for each in asked(judge, contrary) if isinstance(each, Verdict)]
    assert called.count(Finding.CONTRADICTED) == made.recall.hits >= 50
    false = [each.finding for each in asked(judge, silent) if isinstance(each, Verdict)]
    assert false.count(Finding.CONTRADICTED) == made.false_contradicted.hits
    assert made.false_contradicted.high <= 0.002


# --- transformers --------------------------------------------------------------------------------


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_without_transformers_the_cure_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Misconfigured, match="pip install transformers torch"):
        Own.transformers("some/model")


def test_nothing_heavy_is_imported_before_a_model_is_named() -> None:
    program = (
        "import sys, upheld.judges.own; print(sorted({'onnxruntime', 'tokenizers', 'torch'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == "[]\n"


def test_a_transformer_is_scored_like_any_model(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="the package `torch` is not installed")
    transformers = pytest.importorskip("transformers", reason="the package `transformers` is not installed")
    torch.manual_seed(5)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        num_labels=3, id2label={0: "entailment", 1: "neutral", 2: "contradiction"},
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path)
    write_tokenizer(tmp_path / "plain.json")
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "plain.json"), **special)
    tokenizer.save_pretrained(tmp_path)

    model = Own.transformers(str(tmp_path))
    texts = [pair("no longer redis"), pair("still redis and no more than that. Maybe."), pair("")]
    together = [best.scored for best in model.scored(texts)]
    assert together == [pytest.approx(model.scored([each])[0].scored, abs=1e-5) for each in texts]
    assert all(0 < score < 1 for scored in together[:2] for score in scored)
    assert together[0] != pytest.approx(together[1])
    assert Own.transformers(str(tmp_path)).name == model.name
    judge = Own.transformers(str(tmp_path), calibration=known(model.scorer, contradicted_from=0.0, consistent_from=2.0))
    [verdict] = asked(judge, [texts[1]])
    assert isinstance(verdict, Verdict)
    assert (verdict.finding, verdict.acts) == (Finding.CONTRADICTED, False)
    assert verdict.chunk_quote in texts[1].chunk.text
    with pytest.raises(Misconfigured, match="cannot be loaded"):
        Own.transformers(str(tmp_path / "none"), local_files_only=True)


def test_an_onnx_scorer_can_be_used_alone(files: tuple[Path, Path]) -> None:
    scorer = Onnx(*files, labels=LABELS, max_tokens=64, threads=1)
    assert scorer.scores([]) == []
    [scored] = scorer.scores([("no longer", "x")])
    assert scored.contradiction > 0.9
