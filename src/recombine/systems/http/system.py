"""Any JSON service as a translation system: a request template and an answer path."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Literal

from recombine.config import parse_config, read_toml
from recombine.errors import ConfigError, DataError, SystemFailure
from recombine.files import read_json, read_table, write_json
from recombine.registry import data_path
from recombine.systems.answer import AnswerCleaner
from recombine.systems.base import UNKNOWN, Failure, TrainingData, one_line
from recombine.systems.http.literal_key import require_no_literal_key
from recombine.systems.http.pace import Pace, delay
from recombine.systems.http.service import Later, Refused, Service
from recombine.systems.http.spending import Spending
from recombine.systems.http.template import (
    NotFound,
    fill_template,
    follow,
    placeholders,
    require_known,
)
from recombine.systems.languages import language_name
from recombine.systems.secret import read_secret, redact
from recombine.systems.settle import Item, settle
from recombine.systems.shots import choose_shots

_NAMES_IN_TEMPLATES = (
    "source",
    "sources",
    "items",
    "id",
    "ids",
    "source_language",
    "target_language",
    "source_name",
    "target_name",
    "model",
    "prompt",
    "turns",
)


# The worked examples of a seed, in the folder of its model.
SHOTS = "shots.json"


class BudgetSpent(Failure):
    """Stands for a sentence that was not sent, because the budget was spent."""


@dataclass(kw_only=True)
class Preset:
    """What a shipped preset may say; the experiment's own options win over it."""

    url: str | None = None
    method: Literal["POST", "PUT"] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] | None = None
    item: dict[str, Any] | None = None
    items: str | None = None
    item_id: str | None = None
    answer: str | None = None
    prompt: str | None = None
    key_env: str | None = None
    key_header: str | None = None
    key_format: str | None = None
    batch_size: int | None = None
    usage: dict[str, str] = field(default_factory=dict)
    clean: bool | None = None


@dataclass(kw_only=True)
class Http(Preset):
    """Ask a service for translations, several at a time, and give them back in order.

    The key is read from the environment variable named by `key_env` when a request is sent; it is
    no field of this object, so it is in no file, no log and no fingerprint. With `clean` the talk
    of a chat model around its translation is taken off.
    """

    preset: str | None = None
    model: str | None = None
    source_language: str | None = None
    target_language: str | None = None
    concurrency: int = 4
    rate: float | None = None
    timeout: float = 60.0
    retries: int = 6
    backoff: float = 1.0
    backoff_limit: float = 60.0
    response_limit: int = 2_000_000
    give_up_after: int = 20
    max_requests: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    prices: dict[str, float] = field(default_factory=dict)
    shots: int = 0
    shots_file: Path | None = None
    _cleaner: AnswerCleaner = field(init=False, default_factory=AnswerCleaner, repr=False)
    _spending: Spending = field(init=False, repr=False)
    # Worked examples that stand before the source, chosen by `train` or read from `shots_file`.
    _examples: tuple[tuple[str, str], ...] = field(init=False, default=(), repr=False)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock, repr=False)

    idle_options: ClassVar[tuple[str, ...]] = (
        "max_requests", "max_tokens", "max_cost", "prices", "concurrency", "rate", "timeout",
        "retries", "backoff", "backoff_limit", "response_limit", "give_up_after",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if self.preset is not None:
            self._take(_read_preset(self.preset))
        if self.url is None:
            raise ConfigError("'url' is missing", hint="the address of the service")
        if self.answer is None:
            raise ConfigError(
                "'answer' is missing",
                hint='the path of the translation in the reply, such as "translation.text"',
            )
        self.method = self.method or "POST"
        self.clean = self.clean or None  # as before there was the option
        self.batch_size = 1 if self.batch_size is None else self.batch_size
        for name in ("batch_size", "concurrency", "give_up_after", "response_limit"):
            if getattr(self, name) < 1:
                raise ConfigError(f"'{name}' must be at least 1")
        if self.batch_size > 1 and self.items is None:
            raise ConfigError("with a batch_size above 1, 'items' must name the list of answers")
        for name in (*self.idle_options, "shots"):
            if name != "prices" and (getattr(self, name) or 0) < 0:
                raise ConfigError(f"'{name}' must not be negative")
        self._spending = Spending(
            self.usage, self.prices, self.max_requests, self.max_tokens, self.max_cost
        )
        self._require_templates()
        sent = ("headers", "body", "item", "key_format")
        require_no_literal_key(self.url, {name: getattr(self, name) for name in sent})
        if self.key_env is not None and "key" not in placeholders([self.body, self.headers]):
            self.key_header = self.key_header or "Authorization"
        if self.shots or self.shots_file is not None:
            if "turns" not in placeholders(self.body):
                raise ConfigError(
                    "'shots' need the place {turns} in 'body'", hint='messages = "{turns}"'
                )
            if self.shots_file is not None:
                self._examples = _read_shots(self.shots_file, self.shots)
        self._service()  # refuses a wrong address before anything runs

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield one translation or one Failure per source, in order."""
        if self.key_env is not None:
            read_secret(self.key_env)
        assert self.batch_size is not None
        pace = Pace(self.rate)
        service = self._service()
        asked = [place for place, source in enumerate(sources) if source.strip()]
        batches = [
            asked[start : start + self.batch_size]
            for start in range(0, len(asked), self.batch_size)
        ]
        pool = ThreadPoolExecutor(self.concurrency, thread_name_prefix="recombine-http")
        waiting: deque[Future[dict[int, str | Failure]]] = deque()
        answers: dict[int, str | Failure] = {}
        try:
            for place in range(len(sources)):
                if not sources[place].strip():
                    answers[place] = ""
                while place not in answers:
                    # A bounded window: one slow request must not pile up all the others.
                    while batches and len(waiting) < 4 * self.concurrency:
                        batch = batches.pop(0)
                        items = [Item(item_place, sources[item_place]) for item_place in batch]
                        waiting.append(pool.submit(self._settle, items, service, pace))
                    answers.update(waiting.popleft().result())
                if isinstance(spent := answers[place], BudgetSpent):
                    # Answers to what was sent before the budget was spent are paid for.
                    for future in waiting:
                        answers.update(future.result())
                    paid = [
                        answered for answered, answer in answers.items() if isinstance(answer, str)
                    ]
                    for later in range(place, max(paid, default=-1) + 1):
                        yield answers[later] if sources[later].strip() else ""
                    raise SystemFailure(
                        spent.reason, hint="what was translated is kept; raise it and run again"
                    )
                yield answers.pop(place)
        finally:
            pace.halted.set()
            pool.shutdown(wait=True, cancel_futures=True)

    @property
    def learns(self) -> bool:
        """Shots are drawn from the training split, with a seed; otherwise it is asked as it is."""
        return self.shots > 0 and self.shots_file is None

    @property
    def trained_on(self) -> str:
        """Examples in a prompt teach a model nothing: what it knows it had learned before."""
        return UNKNOWN

    def train(self, data: TrainingData, model_dir: Path, seed: int) -> None:
        """Choose and store the examples to show."""
        chosen = choose_shots(data.train, self.shots, seed, "seed")
        if len(chosen) < self.shots:
            raise DataError(f"{self.shots} shots asked for, {len(chosen)} training examples")
        model_dir.mkdir(parents=True, exist_ok=True)
        shots = [[example.source, example.references[0]] for example in chosen]
        write_json(model_dir / SHOTS, {"shots": shots})

    def load(self, model_dir: Path) -> Http:
        """Return the system with the examples that were chosen."""
        stored = read_json(model_dir / SHOTS)["shots"]
        self._examples = tuple((source, target) for source, target in stored)
        return self

    def depends_on(self) -> tuple[Path, ...]:
        """The file of worked examples."""
        return () if self.shots_file is None else (self.shots_file,)

    def recall(self, described: Mapping[str, Any]) -> None:
        """Go on counting where the run before this one stopped: a budget is for all of them."""
        self._spending.count(**described.get("used", {}))
        self._cleaner.recall(described.get("cleaned", {}))

    def usage_counts(self) -> dict[str, float]:
        """Return requests, retries and what the service reported (tokens, cost) so far."""
        return self._spending.counts()

    def outside(self) -> dict[str, str]:
        """The service, which is sent every source, and the key where there is one."""
        asked = {"asks": str(self.url)}
        if self.key_env is not None:
            asked["sends"] = f"the variable {self.key_env} to {self.url}"
        return asked

    def describe(self) -> dict[str, object]:
        """Say what was asked and what it used, for the run's record."""
        cleaned = {"cleaned": self._cleaner.described()} if self.clean else {}
        return {"url": self.url, "model": self.model, "used": self.usage_counts(), **cleaned}

    def _settle(self, items: list[Item], service: Service, pace: Pace) -> dict[int, str | Failure]:
        """Ask until every item has an answer or has used up its retries."""

        def ask(part: list[Item]) -> tuple[dict[int, str | Failure], Failure | None]:
            texts, failure = self._ask({item.place: item.source for item in part}, service, pace)
            answers: dict[int, str | Failure] = {**texts}
            if failure is not None and (isinstance(failure, BudgetSpent) or pace.halted.is_set()):
                answers = {**dict.fromkeys((item.place for item in part), failure), **texts}
            return answers, failure

        def alone(_: Item, failure: Failure | None) -> Failure:
            return failure or Failure("no answer")

        return dict(settle(items, ask, alone))

    def _ask(
        self, part: dict[int, str], service: Service, pace: Pace
    ) -> tuple[dict[int, str], Failure | None]:
        answers: dict[int, str] = {}
        rest = dict(part)
        attempt = 0
        while True:
            pace.wait_turn()
            if pace.halted.is_set():
                return answers, Failure("stopped")
            spent = self._spending.spend_request()
            if spent:
                return answers, BudgetSpent(spent)
            reason, wait = "", None
            try:
                reply = service.exchange(self._request(rest))
                self._spending.note(reply)
                texts, reason = self._read(reply, rest)
                answers.update(texts)
                rest = {place: source for place, source in rest.items() if place not in texts}
                if not rest:
                    return answers, None
                attempt = 0 if texts else attempt
            except Later as later:
                reason, wait = later.reason, later.wait
            except Refused as refused:
                text = self._clean(refused.reason)
                if refused.fatal:
                    raise SystemFailure(
                        f"the service at {self.url} refuses: {text}",
                        hint=f"is the key in {self.key_env} right?" if self.key_env else None,
                    ) from None
                return answers, Failure(text, final=True)
            if attempt >= self.retries:
                return answers, Failure(f"{self._clean(reason)} (after {attempt + 1} tries)")
            self._spending.count(retries=1)
            pause = delay(attempt, base=self.backoff, limit=self.backoff_limit, key=str(min(rest)))
            if wait is not None:
                pause = min(max(pause, wait), max(self.backoff_limit, self.backoff))
                pace.hold(pause)
            pace.sleep(pause)
            attempt += 1

    def _request(self, part: Mapping[int, str]) -> bytes | None:
        if self.body is None:
            return None
        values = self._values()
        places = list(part)
        values["sources"], values["ids"] = list(part.values()), places
        values["source"], values["id"] = part[places[0]], places[0]
        values["items"] = [
            fill_template(self.item, {**values, "id": place, "source": source})
            for place, source in part.items()
        ]
        if self.prompt is not None:
            values["prompt"] = fill_template(self.prompt, values)
        values["turns"] = self._turns(values)
        return json.dumps(fill_template(self.body, values), ensure_ascii=False).encode("utf-8")

    def _turns(self, values: Mapping[str, Any]) -> list[dict[str, str]]:
        """The worked examples and the source, each in the words of the prompt."""
        turns = []
        for source, target in self._examples:
            asked = fill_template(self.prompt or "{source}", {**values, "source": source})
            turns += [{"role": "user", "content": asked}, {"role": "assistant", "content": target}]
        asked = values["prompt"] or values["source"]
        return [*turns, {"role": "user", "content": asked}]

    def _read(self, reply: Any, part: Mapping[int, str]) -> tuple[dict[int, str], str]:
        """Return the translations found and why the others were not."""
        assert self.answer is not None
        places = list(part)
        if self.items is None:
            try:
                return {places[0]: self._text(reply, part[places[0]])}, ""
            except NotFound as error:
                return {}, f"the answer has {error}"
        try:
            items = follow(reply, self.items)
        except NotFound as error:
            return {}, f"the answer has {error}"
        if not isinstance(items, list):
            return {}, f"'{self.items}' of the answer is not a list"
        if self.item_id is None and len(items) != len(places):
            return {}, f"the answer has {len(items)} items for {len(places)} sources"
        texts: dict[int, str] = {}
        twice: set[int] = set()
        reason = "the answer leaves out some items"
        by_name = {str(place): place for place in places}
        for position, item in enumerate(items):
            try:
                if self.item_id is None:
                    place = places[position]
                else:
                    name = str(follow(item, self.item_id))
                    if name not in by_name:
                        raise NotFound(f"the id {name!r}, which was not asked")
                    place = by_name[name]
                if place in texts:
                    twice.add(place)
                    raise NotFound(f"the id {place!r} again")
                texts[place] = self._text(item, part[place])
            except NotFound as error:
                reason = f"item {position + 1} of the answer has {error}"
        # Nobody knows which of two answers is meant.
        return {place: text for place, text in texts.items() if place not in twice}, reason

    def _text(self, item: Any, source: str) -> str:
        """The translation of an answer; a service that repeats its key does not get it stored."""
        assert self.answer is not None
        value = follow(item, self.answer)
        if not isinstance(value, str):
            raise NotFound(f"no text at '{self.answer}'")
        if self.clean:
            with self._lock:
                value = self._cleaner.clean(self._clean(value), source)
        return self._clean(one_line(value).strip())

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        headers |= {
            name: str(fill_template(text, self._values())) for name, text in self.headers.items()
        }
        if self.key_env is not None and self.key_header is not None:
            text = self.key_format or "Bearer {key}"
            headers[self.key_header] = str(fill_template(text, self._values()))
        return headers

    def _values(self) -> dict[str, Any]:
        values: dict[str, Any] = dict.fromkeys(_NAMES_IN_TEMPLATES, "")
        for name in ("source_language", "target_language", "model"):
            value = getattr(self, name)
            if value is not None:
                values[name] = value
        values["source_name"] = language_name(self.source_language)
        values["target_name"] = language_name(self.target_language)
        if self.key_env is not None:
            values["key"] = read_secret(self.key_env)
        return values

    def _require_templates(self) -> None:
        values: dict[str, Any] = dict.fromkeys(_NAMES_IN_TEMPLATES)
        if self.key_env is not None:
            values["key"] = None
        for option in ("body", "item", "prompt", "headers", "key_format"):
            template = getattr(self, option)
            if option == "key_format" and self.key_env is None:
                continue  # a preset's, for a server of one's own that asks for no key
            require_known(template, values, option)
            if "model" in placeholders(template) and self.model is None:
                raise ConfigError("'model' is missing: which model should the service use?")
        sent = placeholders([self.body, self.item])
        if (self.batch_size or 1) > 1 and self.item_id is None and sent & {"id", "ids"}:
            # A service that is told ids may answer in another order.
            raise ConfigError(
                "ids are sent with a batch, but 'item_id' does not say where they come back",
                hint="item_id is the path of the id in an answer; without ids in the request, "
                "answers are taken in order",
            )

    def _service(self) -> Service:
        assert self.url is not None
        assert self.method is not None
        return Service(
            self.url,
            method=self.method,
            headers=self._headers,
            timeout=self.timeout,
            response_limit=self.response_limit,
            clean=self._clean,
        )

    def _take(self, preset: Preset) -> None:
        for option in fields(Preset):
            value, own = getattr(preset, option.name), getattr(self, option.name)
            if isinstance(value, dict) and own is not None:
                setattr(self, option.name, {**value, **own})
            elif own is None:
                setattr(self, option.name, value)

    def _clean(self, text: str) -> str:
        return redact(text, [self.key_env] if self.key_env else [])


def _read_shots(path: Path, most: int) -> tuple[tuple[str, str], ...]:
    """Worked examples of a file with the columns source and target; the first, or all."""
    rows = list(read_table(path, ("source", "target")))
    if len(rows) < most:
        raise ConfigError(f"{path} has {len(rows)} examples, and 'shots' is {most}")
    return tuple((row["source"], row["target"]) for row in rows[: most or None])


def _read_preset(name: str) -> Preset:
    path = data_path("presets", f"http-{name}.toml")
    if not path.exists():
        presets = sorted(
            file.stem.removeprefix("http-") for file in path.parent.glob("http-*.toml")
        )
        raise ConfigError(f"unknown preset '{name}'", hint=f"known: {', '.join(presets)}")
    document = read_toml(path)
    return parse_config(Preset, document.data, document=document)
