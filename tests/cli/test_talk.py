"""Talk goes to standard error, data to standard output."""

from recombine.cli.talk import print_found, print_tree, say


def test_talk_and_data_are_apart(capsys):
    """A script can pipe the data."""
    say("hello")
    print_tree({"a": {"b": 1}, "c": [2]})
    captured = capsys.readouterr()
    assert captured.err == "hello\n"
    assert captured.out == "a:\n  b: 1\nc:\n  2\n"


def test_data_is_an_outline_or_json(capsys):
    """People and programs read the same."""
    print_found({"a": 1}, False)
    print_found({"a": 1}, True)
    assert capsys.readouterr().out == 'a: 1\n{\n  "a": 1\n}\n'


def test_what_is_quoted_does_not_move_the_cursor(capsys):
    """Answers of services and talk of programs are shown, not obeyed."""
    say("a\x1b[2Jb\tc\nd")
    assert capsys.readouterr().err == "a\\x1b[2Jb\tc\nd\n"
