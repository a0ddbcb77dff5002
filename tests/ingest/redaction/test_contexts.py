from __future__ import annotations

from meridia.ingest.redaction.sanitise import clean_text
from meridia.ingest.redaction.scanner import find_in_addresses


def _left(text: str, secrets: list[str]) -> list[str]:
    """Return those of some secrets that stand in the text as it is stored."""
    clean = clean_text(text)
    return [secret for secret in secrets if secret in clean]


_KEY = "q8Zr2Lk29XmPt4RwB7cD"
#: What people say of a password, a key or a code, whatever the vendor is called.
PROSE: list[tuple[str, list[str]]] = [
    ("use hunter2 as the password", ["hunter2"]),
    ("use hunter2 as your new password, please", ["hunter2"]),
    ("Nimm hunter2 als Passwort", ["hunter2"]),
    ("usa «hunter2» como contraseña", ["hunter2"]),
    ('"Kestrel2025" is the password for the router', ["Kestrel2025"]),
    ("try hunter2, that's the password", ["hunter2"]),
    ("set it to Kestrel2025 (password)", ["Kestrel2025"]),
    ("enter hunter2 when it asks for the password", ["hunter2"]),
    ("password -> hunter2", ["hunter2"]),
    ("the password's hunter2", ["hunter2"]),
    ("**Password**: `hunter2`", ["hunter2"]),
    ("old password hunter2, new password hunter3", ["hunter2", "hunter3"]),
    ("Password\nhunter2", ["hunter2"]),
    ("passordet er hunter2", ["hunter2"]),
    ("my phone passcode 482913", ["482913"]),
    (f"cohere key: {_KEY}", [_KEY]),
    (f"the key of nobody's API is {_KEY}.", [_KEY]),
    (f"der API-Schlüssel ist {_KEY}", [_KEY]),
    (f"take {_KEY} as the api key", [_KEY]),
    (f"GET https://node.example/v3/{_KEY}{_KEY} ok", [_KEY * 2]),
    ("recovery key: A1B2-C3D4-E5F6-7G8H", ["A1B2-C3D4-E5F6-7G8H"]),
    ("Google app password: abcd efgh ijkl mnop", ["abcd efgh ijkl mnop"]),
    ("plink -ssh bob@host -pw letmein", ["letmein"]),
    ("tool --user bob:hunter2 list", ["hunter2"]),
    ("tool -u bob -p hunter2 list", ["hunter2"]),
    ("SET PASSWORD FOR 'bob'@'x' = 'letmein'", ["letmein"]),
    ('find("password").fill("letmein")', ["letmein"]),
    (f'{{"kty":"oct","k":"{_KEY}Lw3-v9_TnYh6UjAeGqZx5"}}', [_KEY]),
]  # fmt: skip


def test_what_people_say_of_a_secret_tells_it() -> None:
    assert [text for text, secrets in PROSE if _left(text, secrets)] == []


def test_a_password_in_an_address_is_found() -> None:
    for text, password in [
        ("postgres://bob:letmein@db.example:5432/x", "letmein"),
        ("postgresql+psycopg2://bob:p@ss/w0rd@db.example/x?a=1", "p@ss/w0rd"),
        ("mongodb://bob:letmein@h1:27017,h2:27017/x", "letmein"),
        ("redis://:letmein@cache/0", "letmein"),
        ("https://bob:letmein@example.org/a@b", "letmein"),
        ("https://4f7c9a12bd77aa00ff11@example.org/x.git", "4f7c9a12bd77aa00ff11"),
        ("go?next=amqp://bob:letmein@mq/", "letmein"),
    ]:
        assert [text[span.start : span.end] for span in find_in_addresses(text)] == [password]


def test_an_address_without_a_password_has_none() -> None:
    for text in [
        "https://example.org:8080/a@b", "https://example.org/?mail=bob@example.org",
        "redis://cache:6379/0?who=bob@x", "http://localhost:3000/users/@me", "ssh://git@x.example",
        "postgres://bob:$PASSWORD@db/x", "postgres://bob:<password>@db/x", "git@x.example:a/b.git",
    ]:  # fmt: skip
        assert list(find_in_addresses(text)) == []


def test_the_place_tells_the_secret() -> None:
    for text, secrets in [
        ("https://x/y?page=2&token=k3y7abc9&sort=key", ["k3y7abc9"]),
        ("https://x/y?key=AbC123456789", ["AbC123456789"]),
        ("https://x/y#access_token=k3y7abc9&state=1", ["k3y7abc9"]),
        ("https://x/y?a=1&amp;sig=abc%2Fdef", ["abc%2Fdef"]),
        ("Authorization: Bearer k3y7abc9", ["k3y7abc9"]),
        ("-H 'authorization: token k3y7abc9' https://x", ["k3y7abc9"]),
        ('"Authorization": "ApiKey abc"', ["abc"]),
        (f"Authorization: AWS4-HMAC-SHA256 Credential=A, Signature={'9f86d081' * 8}", ["9f86d081"]),
        ("sent Bearer a1b2c3d4e5 along", ["a1b2c3d4e5"]),
        ("auth: Basic Ym9iOmxldG1laW4=", ["Ym9iOmxldG1laW4="]),
        ('{"auth": "Ym9iOmxldG1laW4="}', ["Ym9iOmxldG1laW4="]),
        ("Cookie: theme=dark; sid=k3y7abc9", ["k3y7abc9"]),
        ("Set-Cookie: sid=k3y7abc9; Path=/; Max-Age=60; HttpOnly", ["k3y7abc9"]),
        ("JSESSIONID=a1b2c3d4e5f6", ["a1b2c3d4e5f6"]),
        ("<Password>letmein</Password>", ["letmein"]),
        ('<add key="Password" value="letmein"/>', ["letmein"]),
        ("- name: DB_PASSWORD\n  value: letmein", ["letmein"]),
        ("my password for the wifi is hunter2, I think", ["hunter2"]),
        ("The PIN is 4832.", ["4832"]),
        ("mon mot de passe est soleil7", ["soleil7"]),
        ("curl -u bob:letmein https://x", ["letmein"]),
        ("curl --user=bob:letmein https://x", ["letmein"]),
        ("mysql -u root -pletmein db", ["letmein"]),
        ("sshpass -p letmein ssh x", ["letmein"]),
        ("docker login -u bob -p letmein x", ["letmein"]),
        ("redis-cli -a letmein ping", ["letmein"]),
        ("openssl rsa -passin pass:letmein", ["letmein"]),
        ("CREATE USER x IDENTIFIED BY 'letmein'", ["letmein"]),
        ("jdbc:oracle:thin:scott/letmein@//h:1521/x", ["letmein"]),
        ("echo 'bob:letmein' | chpasswd", ["letmein"]),
        ("echo letmein | sudo -S ls", ["letmein"]),
        ("sudo -S <<< 'letmein' apt update", ["letmein"]),
        ("echo letmein | docker login --username bob --password-stdin", ["letmein"]),
        ("http -a bob:letmein GET https://x", ["letmein"]),
        ("openssl enc -aes-256-cbc -k letmein -in a", ["letmein"]),
        ("ftp> user bob letmein", ["letmein"]),
        ("nmcli dev wifi connect Boat password letmein", ["letmein"]),
        ("net use Z: \\\\nas\\share /user:bob letmein", ["letmein"]),
        ("ConvertTo-SecureString 'letmein' -AsPlainText -Force", ["letmein"]),
        ("htpasswd -b .htpasswd bob letmein", ["letmein"]),
        ("twine upload -u bob -p letmein dist/*", ["letmein"]),
        ("snmpget -v3 -u bob -A letmein -X letmeout h", ["letmein", "letmeout"]),
        ("smbclient //nas/share -U bob%letmein", ["letmein"]),
        ("xfreerdp /u:bob /p:letmein /v:h", ["letmein"]),
        ("sqlplus bob/letmein@orcl", ["letmein"]),
        ("gh secret set NAME --body Kestrel2025", ["Kestrel2025"]),
        ("db:5432:shop:bob:letmein", ["letmein"]),
        ("vault login s.q8Zr2Lk29XmPt4Rw", ["s.q8Zr2Lk29XmPt4Rw"]),
        ("jwt.encode(claims, 'letmein', algorithm='HS256')", ["letmein"]),
        ('<property name="connection.password">letmein</property>', ["letmein"]),
        ("my login for the portal is bob / hunter2!", ["hunter2!"]),
        ("creds -> bob:hunter2", ["hunter2"]),
        ("I changed the password from hunter2 to hunter3.", ["hunter2", "hunter3"]),
        ("the password used to be hunter2, now it is hunter3.", ["hunter2", "hunter3"]),
        ("User: bob\nPassword: rope ladder sunset 9\n", ["rope ladder sunset 9"]),
        ("backup codes:\n 1a2b-3c4d\n 9f8e-7d6c", ["1a2b-3c4d\n 9f8e-7d6c"]),
        ("TOTP seed JBSWY3DPEHPK3PXQ for bob", ["JBSWY3DPEHPK3PXQ"]),
        ("mật khẩu là hunter2", ["hunter2"]),
        ("kata sandi: hunter2", ["hunter2"]),
        ("كلمة المرور هي hunter2", ["hunter2"]),
        ("รหัสผ่าน: hunter2", ["hunter2"]),
        ("scp -r out bob:letmein@host.example:/srv", ["letmein"]),
        ("rsync -av bob:letmein@nas:/data .", ["letmein"]),
        ("x --password-file=<(echo letmein) y", ["letmein"]),
        ("x --vault-password-file <(printf '%s' 'let me in') y", ["let me in"]),
        ('restic --password-command "echo letmein" backup', ["letmein"]),
        ("docker login --password-stdin <<< letmein", ["letmein"]),
        ('gpg --passphrase-fd 3 3<<<"let me in" x', ["let me in"]),
        ("//r.example/:_password=letmein", ["letmein"]),
        ("//r.example/:_authToken=npmtoken123", ["npmtoken123"]),
        ("npm config set //r.example/:_authToken letmein", ["letmein"]),
        ("Pass phrase: correct horse battery staple", ["correct horse battery staple"]),
        ("disk passphrase - correct horse battery staple", ["correct horse battery staple"]),
        ("my passphrase is correct horse battery, keep it", ["correct horse battery"]),
    ]:
        assert _left(text, secrets) == [], text


def test_the_same_words_elsewhere_tell_nothing() -> None:
    for text in [
        "https://x/y?page=2&sort=key&next_page_token=abc", "bearer of good news and of others",
        "Authorization: required", "Authorization: Bearer $TOKEN", "f'Bearer {token}'",
        "basic training is over", "cookie: chocolate chip", "cookies: 12", "<b>Password</b>",
        "password is required", "the pin is 13", "name: Dana\nvalue: high", "a curl of hair -u",
        "login again please", "mysql -u root -p", "sessionId=1", "curl -u bob:$PASSWORD https://x",
        "sshpass -p <password> ssh x", "the login is at 10:45", "Luke's login took 44 ms",
        "credentials: file:conf/x1.yml", "I still use the password from 2019.", "wget -p 8080",
        "backup codes printed in 2024", "echo hello | tee --append x", "http GET https://x/a:b",
        "net use", "docker run -p 8080:80 nginx:1.25@sha256:abc", "10:20:30:40:50",
        "<option name=\"colour\">blue42</option>", "openssl req -key a.pem -out b.pem",
        "snmpget -v3 -a SHA -x AES h", "la parola è chiara", "heroku login --interactive",
        "scp -r out bob@host.example:/srv", "scp host:/a@b:c .", "rsync -av host:a b@host:c",
        "diff <(echo one two) <(echo three)", "x --password-file=<(echo $PASSWORD)",
        "docker login --password-stdin <<< $TOKEN", "//r.example/:_authToken=${NPM_TOKEN}",
        "a smile :_ password manager", "The passphrase is always long enough.",
        "passphrase: required when encryption enabled", "passphrase: minimum four random words",
        "I use argon2id as the password hash", "Use a long sentence as the password.",
        "Bitwarden2 is my password manager", "the access token lifetime is 3600 seconds",
        "the cohere key is in the vault", "the password is stored in 1Password",
        f"cache key: {_KEY}", f"public key {_KEY}", f"the key's fingerprint is {_KEY}",
        "docker run --user 1000:1000 x", "ssh -u bob -p 2222 x", "the door code is in the mail",
        "the code is 4821 lines long", "GPIO pin 4821 is bent", '"NextToken": "a1b2"',
        "A pass phrase is several words long.", "The passphrase is case sensitive everywhere.",
    ]:  # fmt: skip
        assert clean_text(text) == text
