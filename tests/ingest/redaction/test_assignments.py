from __future__ import annotations

from meridia.ingest.redaction.assignments import find_assignments
from meridia.ingest.redaction.secret_names import SecretNames

NAMES = SecretNames()


def _values(text: str) -> list[str]:
    spans = find_assignments(text, text.lower(), NAMES, NAMES.stems_in(text.lower()))
    return [text[span.start : span.end] for span in spans]


def test_the_value_behind_a_sensitive_name_is_found() -> None:
    for text in [
        "password = hunter2", "Password: letmein", "PGPASSWORD=letmein psql", "pwd=letmein",
        "export DB_PASSWORD='letmein'", 'set DB_PASS="letmein"', '$env:API_KEY = "letmein"',
        "ENV SECRET_KEY=letmein", "db_password: letmein", '  password: "letmein"  # note',
        "'password': 'letmein',", '{"password":"letmein","user":"bob"}', "pwd=letmein&user=bob",
        "user=bob;Pwd=letmein;host=x", "host=x,password=letmein,user=y",
        'config["secret_key"] = "letmein"', "const apiKey = 'letmein';",
        "let password: string = 'letmein';", 'password := "letmein"', ':password => "letmein"',
        "spring.datasource.password=letmein", "X-Api-Key: letmein", "--token=letmein",
        "--api-key letmein now", "client_secret=letmein&grant_type=x", "MYSQL_PASSWORD: letmein",
        "//registry.example/:_authToken=letmein", 'define("DB_PASSWORD", "letmein1")',
        'setenv("API_TOKEN", "letmein1")', 'if password == "letmein1":', 'token = b"letmein"',
        'password="""letmein"""', "the password is 'letmein'", "the token was letmein1 then",
        "machine x login bob password letmein", "CREATE USER x PASSWORD 'letmein'",
        "password：letmein", "密码: letmein", 'passphrase: "letmein battery staple"',
        "pw: s3cr3t", "STRIPE_KEY=a1b2c3d4e5", 'password: "letm\\"ein"', "password=letmein,",
        'api_key: str = "letmein"',
    ]:  # fmt: skip
        (value,) = _values(text)
        assert value.startswith(("letm", "hunter2", "s3cr3t", "a1b2c3d4e5"))
        assert "user" not in value
        assert "\n" not in value


def test_all_of_a_quoted_value_is_found_with_its_escapes_and_signs() -> None:
    assert _values('password: "a \\" b; c=d&e"') == ['a \\" b; c=d&e']


def test_all_of_a_bare_value_is_found_with_its_signs() -> None:
    assert _values("DB_PASSWORD=p@ss,w0rd;x!&y") == ["p@ss,w0rd;x!&y"]
    assert _values("password: p@ss,w0rd!") == ["p@ss,w0rd!"]


def test_a_block_of_lines_is_found() -> None:
    assert _values("a:\n  password: |\n    one\n    two\n  other: three\n") == ["    one\n    two"]


def test_two_pairs_in_a_line_are_both_found() -> None:
    assert _values("new_password=first1 confirm_password=second2") == ["first1", "second2"]


def test_an_unclosed_quote_reaches_to_the_end_of_the_line() -> None:
    assert _values('password="first half\nnext line') == ["first half"]


def test_code_references_and_prose_are_no_secrets() -> None:
    for text in [
        "token_count: 512", "max_tokens=4096", "password_policy: strict", "token = self.token",
        "def get_token(self, token: str) -> Token:", 'password = getpass.getpass("Password: ")',
        'api_key = os.environ["OPENAI_API_KEY"]', "PASSWORD=$DB_PASSWORD", "PASSWORD=${PASSWORD}",
        "password: ${{ secrets.PASSWORD }}", "password: <your password>", "--password PASSWORD",
        "use the --password option", "Forgot your password? Reset it.", "The secret: patience.",
        "pass: 12, fail: 0", "f(password=password, token=tok)", "password = None", "token: string;",
        "password: Optional[str] = None", "authorization: required", "PWD=/home/bob/x",
        "password is required", "password must be at least 8 characters", "passwd: files systemd",
        'print("Token: " + repr(token))', "get(prompt='Password: ', stream=None)", "token ==",
        "secret=settings.secret", 'sort(key="name")', "password:", "password=", "a token of love",
        'if token == "(":',
    ]:  # fmt: skip
        assert _values(text) == []
