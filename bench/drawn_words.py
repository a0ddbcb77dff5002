"""Words that a template of `bench.redaction` may have around a secret, and secrets of any sort.

Names of services, users and fields are made from a seed, so that a net learns the place of a value
and not the name beside it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from bench.varied_secrets import chosen, token

_SERVICES = """
github gitlab bitbucket jenkins grafana kibana sentry datadog newrelic stripe paypal twilio sendgrid
mailgun slack discord telegram zoom notion trello jira confluence asana linear figma dropbox
netflix spotify amazon ebay google icloud outlook gmail azure aws gcp heroku vercel netlify
cloudflare digitalocean hetzner linode openai anthropic cohere mistral groq replicate huggingface
pinecone weaviate qdrant supabase firebase mongodb postgres mysql redis rabbitmq kafka elastic
clickhouse snowflake influx vault consul nomad argo harbor nexus artifactory sonar npm pypi docker
quay terraform pulumi ansible wordpress drupal shopify magento odoo nextcloud jellyfin plex pihole
proxmox synology unifi mikrotik router printer nas vpn wifi staging production intranet payroll
billing warehouse forum wiki crm erp bank library school gym clinic portal hr cctv moodle
""".split()
_PARTS = (
    "bor dal fen gri hol jun kel lum mar nor oss pel quo ras sil tam und vel wex yar zin".split()
)
_NAMES = """
ann bob lee ines omar priya chen lukas marta yuki diego fatima noor sven olga pavel amira jonas
""".split()
_ROLES = "admin root deploy backup app svc ops reader guest office test ci bot api".split()
_OF = """
db database smtp mail api app admin root redis mysql postgres pg mongo rabbit jwt session cookie
encryption signing webhook oauth client access refresh auth service user ldap ftp ssh vpn wifi
proxy registry deploy backup master private storage bucket cache queue search payment bot device
""".split()
_SECRETS = """
password password password passwd pwd pass passphrase secret secret secret_key token token
access_token auth_token api_key api_key apikey private_key client_secret credential key_secret
signing_secret access_key secret_token service_key
""".split()
_THINGS_OF = """
id id id uuid request_id trace_id session_id order_id user_id client_id tenant_id build_id run_id
job_id commit sha digest checksum etag revision version tag name host hostname region zone bucket
path url endpoint email username account project team cursor offset page size status state color
format type mode level model branch image device_id serial sku isbn invoice ticket reference slug
hash_id parent_id thread_id message_id batch correlation_id span_id group label title fingerprint
next_page_token keyword monkey keyboard key_name token_count token_type password_length pass_rate
passport passenger secretary compass
""".split()
_WORDS_OF = """
order number|invoice|ticket|case id|request id|build|commit|tracking number|booking reference|serial
number|device id|customer id|member id|account number|article number|flight|model number|run id|
trace id|document id|reference|transaction id|issue|parcel|licence plate|contract|job id|asset tag
""".replace("\n", " ").split("|")
_PLAIN = """
blue green small large fast slow true false none auto default local remote public private daily
weekly yes no on off high low medium dark light open closed ready done pending active enabled
disabled strict basic advanced linen walnut lemon summer morning garden kitchen monday friday march
""".split()
_ADJECTIVES = """
wrong|incorrect|correct|right|expired|invalid|valid|missing|required|optional|long|short|too short|
weak|strong|secure|safe|ready|gone|lost|unknown|known|empty|hidden|visible|shared|private|public|
new|old|outdated|broken|fine|okay|good|bad|easy|hard|difficult|simple|complicated|important|needed|
set|unset|stored|saved|changed|unchanged|reset|rotated|revoked|blocked|locked|disabled|enabled|
working|not working|still working|on its way|in the mail|being changed|due tomorrow|up to you|
case sensitive|at least ten characters|not shared|only for staff|hard to remember|easy to guess|
written down|in the safe|with Ann|mandatory|numeric|temporary|permanent|encrypted|hashed|masked|
there|here|nowhere|always the same|never stored|under review|confidential|classified|compromised|
leaked|exposed|sensitive|acceptable|rejected|accepted|forgotten|remembered|different|identical
""".replace("\n", "").split("|")
_OTHER_ADJECTIVES = {
    "de": "falsch|richtig|abgelaufen|ungültig|gültig|zu kurz|zu lang|sicher|unsicher|geheim|"
    "bekannt|unbekannt|weg|neu|alt|leer|geändert|gesperrt|vergessen|noch gleich|im Tresor|"
    "erforderlich|schwach|stark|verloren|nicht nötig|leicht zu merken|geheim zu halten|"
    "bei Anna|unverändert",
    "fr": "faux|incorrect|correct|expiré|invalide|valide|trop court|trop long|sûr|secret|connu|"
    "inconnu|perdu|nouveau|vieux|vide|changé|bloqué|oublié|le même|obligatoire|faible|"
    "fort|simple|nécessaire|dans le coffre|chez Anne|facile à retenir|inchangé",
    "es": "incorrecta|correcta|caducada|inválida|válida|corta|larga|segura|secreta|conocida|"
    "desconocida|perdida|nueva|vieja|vacía|débil|fuerte|la misma|obligatoria|necesaria|"
    "fácil|difícil|importante|en la caja fuerte|sin cambios|bloqueada",
    "it": "sbagliata|corretta|scaduta|valida|corta|lunga|sicura|segreta|nuova|vecchia|vuota|"
    "debole|forte|la stessa|obbligatoria|necessaria|persa|dimenticata|bloccata|facile",
    "pt": "errada|incorreta|correta|expirada|inválida|curta|longa|segura|secreta|nova|velha|"
    "vazia|fraca|forte|a mesma|obrigatória|necessária|perdida|bloqueada|fácil",
    "nl": "verkeerd|onjuist|juist|verlopen|ongeldig|te kort|lang|veilig|geheim|nieuw|oud|leeg|"
    "zwak|sterk|hetzelfde|verplicht|kwijt|vergeten|geblokkeerd",
    "pl": "błędne|niepoprawne|poprawne|wygasłe|za krótkie|długie|bezpieczne|tajne|nowe|stare|"
    "puste|słabe|silne|to samo|wymagane|zmienione|zablokowane",
    "cs": "špatné|nesprávné|správné|krátké|dlouhé|bezpečné|tajné|nové|staré|prázdné|slabé|silné|"
    "stejné",
    "sv": "fel|rätt|för kort|långt|säkert|hemligt|nytt|gammalt|tomt|svagt|starkt|samma|glömt|"
    "spärrat",
    "ru": "неверный|правильный|истёк|слишком короткий|длинный|надёжный|секретный|новый|старый|"
    "пустой|слабый|сильный|тот же|обязателен|изменён|забыт|потерян|не нужен|заблокирован",
}
_HEX, _LETTERS = "0123456789abcdef", "abcdefghijklmnopqrstuvwxyz"
_UPPER, _DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
_ALL = _LETTERS + _UPPER + _DIGITS
_MARKS = "live test key sk pat tok api v1 secret prod".split()
_THINGS = "lemon bread engine garden window table curtain soup".split()


def _chars(draw: random.Random, alphabet: str, least: int, most: int) -> str:
    return "".join(draw.choices(alphabet, k=draw.randint(least, most)))


def _service(draw: random.Random) -> str:
    made = "".join(draw.sample(_PARTS, draw.randint(2, 3)))
    name = draw.choice(_SERVICES) if draw.random() < 0.7 else made
    return name.title() if draw.random() < 0.2 else name


def _user(draw: random.Random) -> str:
    name = draw.choice(_NAMES)
    return draw.choice(
        (
            *(
                name,
                name,
                draw.choice(_ROLES),
                draw.choice(_ROLES),
                f"{name}.{draw.choice(_NAMES)}",
            ),
            *(f"{draw.choice(_ROLES)}_{draw.choice(_SERVICES)}", f"{name}{draw.randint(1, 99)}"),
            f"{name}_{draw.choice(_ROLES)}",
        )
    )


def _styled(words: list[str], draw: random.Random) -> str:
    style = draw.random()
    if style < 0.5:
        return "_".join(words)
    if style < 0.65:
        return "-".join(words)
    first, *rest = words
    camel = first + "".join(map(str.title, rest))
    return camel if style < 0.85 else ".".join(words) if style < 0.92 else "".join(words)


def _secret_words(draw: random.Random) -> list[str]:
    words = draw.choice(_SECRETS).split("_")
    if draw.random() < 0.7:
        words = [draw.choice((draw.choice(_OF), _service(draw).lower())), *words]
    if draw.random() < 0.2:
        words = [_service(draw).lower(), *words]
    if draw.random() < 0.12:
        words = [*words, draw.choice(("old", "new", "prod", "dev", "2", "backup", "value"))]
    return words


def _thing_words(draw: random.Random) -> list[str]:
    words = draw.choice(_THINGS_OF).split("_")
    return [draw.choice(_OF), *words] if draw.random() < 0.3 else words


def _id(draw: random.Random) -> str:
    """Return what numbers a thing."""
    digits = _chars(draw, _HEX, 32, 32)
    uuid = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    prefix = draw.choice(("user", "order", "evt", "req", "job", "doc", "usr", "item", "cus", "run"))
    return draw.choice(
        (
            *(uuid, uuid, _chars(draw, _HEX, 7, 12), _chars(draw, _HEX, 24, 24)),
            *(_chars(draw, _HEX, 40, 40), _chars(draw, _HEX, 64, 64), _chars(draw, _DIGITS, 4, 12)),
            *(
                _chars(draw, _UPPER + _DIGITS, 6, 12),
                f"{_chars(draw, _UPPER, 2, 4)}-{draw.randint(9, 99999)}",
            ),
            *(
                f"{prefix}_{_chars(draw, _LETTERS + _UPPER + _DIGITS, 12, 24)}",
                f"{prefix}-{_chars(draw, _DIGITS, 2, 6)}",
            ),
            f"01{_chars(draw, _UPPER + _DIGITS, 24, 24)}",
            f"{draw.randint(0, 9)}.{draw.randint(0, 30)}.{draw.randint(0, 20)}",
            f"{_service(draw).lower()}-{draw.choice(_PLAIN)}-{draw.randint(1, 20)}",
            f"20{draw.randint(19, 27)}-{draw.randint(10, 12)}-{draw.randint(10, 28)}",
        )
    )


def _token(draw: random.Random) -> str:
    """Return what a program draws, often behind a short prefix."""
    if draw.random() < 0.5:
        return token(draw)
    joint = draw.choice("__-_.")
    parts = [_chars(draw, _LETTERS, 2, 5)]
    if draw.random() < 0.4:
        parts.append(
            draw.choice(("live", "test", "key", "sk", "pat", "tok", "api", "v1", "secret", "prod"))
        )
    alphabet = draw.choice(
        (_LETTERS + _UPPER + _DIGITS, _LETTERS + _DIGITS, _HEX, _LETTERS + _UPPER + _DIGITS + "-_")
    )
    return joint.join((*parts, _chars(draw, alphabet, 20, 48)))


def _symbol(draw: random.Random) -> str:
    """Return a place in a program, as dumps and traces name it."""
    words = [draw.choice(_SYMBOLS) for _ in range(draw.randint(2, 3))]
    name = draw.choice(("".join(map(str.title, words)), "_".join(words), "::".join(words)))
    module = draw.choice((draw.choice(_PARTS) + draw.choice(_PARTS), draw.choice(_SERVICES)))
    module = draw.choice((module.upper(), module, f"lib{module}.so.{draw.randint(1, 9)}"))
    offset = f"0x{_chars(draw, _HEX, 1, 4)}"
    return draw.choice(
        (
            *(f"{module}!{name}+{offset}", f"{module}!{name}", f"{name}+{offset}"),
            f"{name}+{offset}/0x{_chars(draw, _HEX, 2, 4)}",
        )
    )


_SYMBOLS = """
raise exception get set key token secret read write open close lock unlock thread start dispatch
handler crypt hash sign verify load store cache alloc free copy wait poll init user session cookie
""".split()


def _variable(draw: random.Random) -> str:
    """Return the name of an environment variable with a number in it."""
    number = draw.choice(
        ("S3", "R2", "B2", "E2E", "K8S", "OAUTH2", "AUTH0", "DB1", "V2", "P12", "C3")
    )
    words = [word.upper() for word in draw.choice(_SECRETS).split("_")]
    words.insert(draw.randrange(len(words)), number)
    if draw.random() < 0.4:
        words.insert(0, _service(draw).upper())
    return "_".join(words)


def _masked(draw: random.Random) -> str:
    """Return what is left of a secret that somebody has hidden or cut short."""
    prefix = draw.choice(("", "", "sk-", "sk-proj-", "ghp_", "xoxb-", "key-", "pk_", "AKIA"))
    hidden = draw.choice(("...", "…", "****", "********", "xxxx", "•••••", "xxxxxxxxxxxx", "***…"))
    return f"{prefix}{hidden}{draw.choice(('', '', _chars(draw, _ALL, 3, 4)))}"


def _documented(draw: random.Random) -> str:
    """Return a value of a vendor's documents: it says that it is an example."""
    alphabet, least, most = draw.choice(((_UPPER + _DIGITS, 9, 14), (_ALL + "/+", 14, 34)))
    value = _chars(draw, alphabet, least, most)
    end = draw.choice(("EXAMPLE", "EXAMPLEKEY", "EXAMPLETOKEN"))
    return draw.choice(
        (f"AKIA{value[:9].upper()}EXAMPLE", value + end, value + end, f"EXAMPLE{value}")
    )


def _human(draw: random.Random) -> str:
    """Return a password that somebody chose, a plain word among them."""
    return draw.choice(_RARE) if draw.random() < 0.08 else chosen(draw)


_RARE = """
hamster artichoke walrus pickle wombat teapot giraffe puffin badger tortoise marmalade kumquat
dandelion pineapple raspberry scarecrow moonbeam jellyfish gingerbread butterscotch porcupine
swordfish chinchilla buttercup hummingbird rutabaga
""".split()


def _one_of(listed: list[str]) -> Callable[[random.Random], str]:
    return lambda draw: draw.choice(listed)


#: What a template names between ⟨ and ⟩ that is no secret.
AROUND: Mapping[str, Callable[[random.Random], str]] = {
    "svc": _service,
    "who": _user,
    "id": _id,
    "sym": _symbol,
    "var": _variable,
    "cut": _masked,
    "doc": _documented,
    "sname": lambda draw: _styled(_secret_words(draw), draw),
    "SNAME": lambda draw: "_".join(_secret_words(draw)).upper(),
    "fname": lambda draw: _styled(_thing_words(draw), draw),
    "FNAME": lambda draw: "_".join(_thing_words(draw)).upper(),
    "fdash": lambda draw: "-".join(_thing_words(draw)),
    "Fdash": lambda draw: "-".join(map(str.title, _thing_words(draw))),
    "fword": lambda draw: draw.choice(_WORDS_OF).strip(),
    "plain": lambda draw: draw.choice(_PLAIN),
    "thing": lambda draw: draw.choice(
        "lemon bread engine garden window table curtain soup".split()
    ),
    "adj": lambda draw: draw.choice(_ADJECTIVES),
    **{language: _one_of(listed.split("|")) for language, listed in _OTHER_ADJECTIVES.items()},
}
#: Secrets of whatever sort.
SECRETS: Mapping[str, Callable[[random.Random], str]] = {
    "human": _human,
    "tok": _token,
    "any": lambda draw: draw.choice((_human, _human, _token, token))(draw),
}
