"""Keys do not stand in experiments: every run stores its options."""

from __future__ import annotations

import pytest

from recombine.cli import main
from recombine.errors import ConfigError
from recombine.systems.http.system import Http
from recombine.systems.http.template import placeholders

PLAIN = {"url": "https://example.org/t", "answer": "text"}


@pytest.mark.parametrize(
    "options",
    [
        {"url": "https://someone:hunter22@example.org/t"},
        {"url": "https://example.org/t?key=AbCdEf123456"},
        {"url": "https://example.org/t?api-version=3&subscription-key=AbCdEf123456"},
        {"url": "https://example.org/sk-abcdefghijklmnop/t"},
        {"headers": {"Authorization": "Bearer abcdef123456"}},
        {"headers": {"X-Api-Key": "abcdefghij"}},
        {"headers": {"Ocp-Apim-Subscription-Key": "0123456789abcdef"}},
        {"headers": {"Cookie": "session=0123456789"}},
        {"headers": {"X-Auth": "abcdefghij"}},
        {"headers": {"X-Proxy-Authentication": "abcdefghij"}},
        {"body": {"q": "{source}", "api_key_2": "abcdefghij"}},
        {"headers": {"X-Anything": "hf_abcdefghijklmnopqrst"}},
        {"body": {"q": "{source}", "apiKey": "abcdefghij"}},
        {"body": {"auth": [{"access_token": "abcdefghij"}]}},
        {"body": {"q": "{source}", "password": "hunter22"}},
        {"key_env": "NAME", "key_format": "Bearer sk-abcdefghijklmnop {key}"},
    ],
)
def test_a_literal_key_is_refused(options):
    """Wherever it stands, and the message does not repeat it."""
    with pytest.raises(ConfigError, match="is stored in every run") as refused:
        Http(**{**PLAIN, **options})
    assert "key_env" in refused.value.hint
    for secret in ("hunter22", "AbCdEf", "abcdef", "0123456789"):
        assert secret not in refused.value.render()


@pytest.mark.parametrize(
    "options",
    [
        {"url": "https://example.org/t?api-version=3.0&to=de"},
        {"headers": {"Authorization": "Bearer {key}"}, "key_env": "NAME"},
        {"headers": {"X-Api-Key": "{key}", "X-Client": "recombine/0.2"}, "key_env": "NAME"},
        {"headers": {"Authorization": "Bearer none"}},
        {"body": {"stop_token": "<|endoftext|>", "max_tokens": 100, "q": "{source}"}},
        {"body": {"q": "{source}", "api_key": "{key}", "glossary": "legal"}, "key_env": "NAME"},
        {"body": {"author": "somebody else", "q": "{source}"}},
        {"body": {"prompt": "Basic translation into German: {source}"}},
        {"preset": "deepl", "key_env": "NAME", "source_language": "en", "target_language": "de"},
    ],
)
def test_names_and_ordinary_options_pass(options):
    """What is no key is nobody's secret."""
    made = Http(**({} if "preset" in options else PLAIN) | options)
    assert "key" not in placeholders(made.url)


def test_a_plan_says_which_variable_goes_where(tmp_path, small_benchmark, capsys):
    """An experiment that somebody sends could ask for any variable."""
    path = tmp_path / "e.toml"
    path.write_text(
        f'benchmark = "{small_benchmark}"\n[system.s]\nuse = "http"\nanswer = "text"\n'
        'url = "https://example.org/t"\nkey_env = "HOME"\n'
        '[system.c]\nuse = "command"\nrun = ["cat"]\nenv = ["OTHER"]\n'
    )
    assert main(["run", str(path), "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "sends the variable HOME to https://example.org/t" in told
    assert "sends the variables OTHER to cat" in told


def test_the_place_is_named(tmp_path, small_benchmark, capsys):
    """By file and line, before anything is asked or stored."""
    path = tmp_path / "e.toml"
    path.write_text(
        f'benchmark = "{small_benchmark}"\nrun = "{tmp_path}/run"\n[system.s]\nuse = "http"\n'
        'url = "https://example.org/t"\nanswer = "text"\nheaders.X-Api-Key = "abcdefghij"\n'
    )
    assert main(["run", str(path)]) == 2
    assert f"{path}:3" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
