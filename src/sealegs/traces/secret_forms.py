"""The forms of secrets: the names of fields that hold them, and their patterns within a text.

Each form says which words a text must hold for it to be there at all, so that most texts are looked through for words
alone. Not covered: secrets that look like any other text.
"""

from __future__ import annotations

import re
from functools import lru_cache

SECRET_NAME = re.compile(
    r"(?:[a-z0-9]+_)*(?:password|passwd|passphrase|passcode|pwd|secret|api_?key|access_?key|private_?key|secret_?key"
    r"|ssh_?key|signing_?key|encryption_?key|account_?key|connection_?string|authorization|credential|cookie"
    r"|session_token|auth_token|access_token|refresh_token|id_token|bearer_token|bearer|token|jwt|pin_?code|otp|cvv|cvc"
    r"|passwort|contrase[nñ]a|senha|пароль|密码)"
    r"(?:_confirmation)?"
)
SECRET_NAMES = re.compile(SECRET_NAME.pattern.replace("|token|", "|") + "s")  # `tokens` are mostly words or counts
NUMBERS = re.compile(r"(?:.*_)?(?:password|passwd|passcode|pin_?code|otp|cvv|cvc)")  # whose numbers are secret, too
PLACES = re.compile(r"(?:.*_)?(?:page|cursor|continuation|sync|next)_?token")  # these say where a list continues

EDGE = r"(?:(?<![\w-])|(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4}))"  # where a word begins, also behind an escape of JSON
WORDS = (
    r"(?:password|passwd|passphrase|passcode|pwd|secret|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key"
    r"|token|authorization|passwort|contrase[nñ]a|senha|пароль|密码)"
)
LOOSE = r"[\w-]{0,40}?" + WORDS  # `DB_PASSWORD`, `clientSecret`, `_authToken`
NAMED = (
    *("passw", "passphrase", "passcode", "pwd", "secret", "key", "token", "authorization"),
    *("contrase", "senha", "пароль", "密码"),
)
NOTHING = r"(?!(?:null|none|nil|true|false|undefined)\b)"
QUOTED = r"(?P<secret>(?:\\.|(?!(?P=quote)).)+?)(?=(?P=quote)|\Z)"  # to the quote that ends it
UNCOMMON = r"(?P<secret>(?![\w.]*\()(?=\S*[\d!@#$%^*+])[^\s\"'\\&,;{}\[\]]{4,})"  # no common word, and no code
# Each matches the secret alone, or names it in the group `secret`; `quote` is what ends it.
FORMS: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("private key",),
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    (("eyj",), EDGE + r"eyJ[\w-]{5,}\.eyJ[\w-]{5,}\.[\w-]*"),  # a JSON web token
    (("sk-",), EDGE + r"sk-(?=[\w-]*[A-Z0-9])[\w-]{8,}"),  # OpenAI, Anthropic and others
    (("_live_", "_test_"), EDGE + r"(?:sk|pk|rk)_(?:live|test)_\w{8,}"),
    (("akia", "asia"), EDGE + r"(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    (
        ("gho_", "ghp_", "ghr_", "ghs_", "ghu_", "github_pat_", "glpat-", "xox", "xapp-", "npm_", "hf_", "whsec_"),
        EDGE + r"(?:gh[opusr]_|github_pat_|glpat-|xox[abeprs]-|xapp-|npm_|hf_|whsec_)[\w-]{16,}",
    ),
    (
        ("gsk_", "xai-", "pplx-", "tvly-", "r8_", "ntn_", "lin_api_", "dop_v1_", "lsv2_", "pypi-"),
        EDGE + r"(?:gsk_|xai-|pplx-|tvly-|r8_|ntn_|lin_api_|dop_v1_|lsv2_[ps][tk]_|pypi-)[\w-]{16,}",
    ),
    (
        ("shp", "glsa_", "glc_", "figd_", "gocspx-", "atatt3", "atctt3", "nrak-", "sq0"),
        EDGE + r"(?:shp(?:at|ss|pa|ca)_|gl(?:sa|c)_|figd_|GOCSPX-|AT[AC]TT3|NRAK-|sq0(?:atp|csp)-)[\w-]{16,}",
    ),
    (("dapi",), EDGE + r"dapi[0-9a-f]{32}"),  # Databricks
    (("key-",), EDGE + r"key-[0-9a-z]{32}\b"),  # Mailgun
    (("secret_",), EDGE + r"secret_[A-Za-z0-9]{40,}"),  # Notion
    (("age-secret-key-1",), EDGE + r"AGE-SECRET-KEY-1[0-9A-Z]{20,}"),
    (("1//0",), EDGE + r"1//0[\w-]{20,}"),  # Google, to get further tokens with
    (("hvs.", "dp."), EDGE + r"(?:hvs|dp\.[ps]t)\.[\w-]{16,}"),
    (("aiza",), EDGE + r"AIza[\w-]{30,}"),
    (("ya29.",), EDGE + r"ya29\.[\w-]{20,}"),
    (("sg.",), EDGE + r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    ((":aa",), EDGE + r"\d{8,10}:AA[\w-]{33}"),  # Telegram
    (("hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/-]{16,})"),
    (("/webhooks/",), r"discord(?:app)?\.com/api/webhooks/\d+/(?P<secret>[\w-]{16,})"),
    (  # what signs an address that anybody may use who has it
        ("signature=", "token=", "sig="),
        r"(?i:[?&;](?:x-(?:amz|goog)-(?:signature|security-token)|signature|sig)=)(?P<secret>[\w%+/.=-]{16,})",
    ),
    (("key=",), r"(?i:[?&;]key=)(?P<secret>(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,})(?![\w.-])"),
    (("bearer",), r"(?i:\bbearer\s+)(?P<secret>(?=[\w.~+/-]*[A-Z0-9])[\w.~+/-]{8,}=*)"),
    (("basic",), r"(?i:\bbasic\s+)(?P<secret>[A-Za-z0-9+/]{6,}={0,2})"),
    (
        ("auth",),
        r"(?i:[\"']_?auth\\?[\"']\s*[:=]\s*\\?[\"'])(?P<secret>[A-Za-z0-9+/]{8,}={0,2})(?=\\?[\"'])",
    ),  # of Docker
    (  # of AWS
        ("signature=",),
        r"(?i:\bauthorization\b[^\r\n]{0,200}?\bsignature=)(?P<secret>[0-9a-fA-F]{16,})",
    ),
    (("digest",), r"(?i:\bdigest\s[^\r\n]{0,400}?\bresponse=)\\?[\"']?(?P<secret>[0-9a-fA-F]{32,})"),
    (("ssws",), r"(?i:\bSSWS\s+)(?P<secret>[\w-]{16,})"),  # Okta
    (("cookie:",), r"(?i:\b(?:set-)?cookie:\s*)(?P<secret>[^\r\n\"'\\]{4,})"),
    (("cookie",), r"(?i:\b(?:set-)?cookie\\?[\"']\s*[=:]\s*(?P<quote>\\?[\"']))" + QUOTED),
    (
        ("sessi", "phpsessid", "connect.sid"),
        r"(?i:\b(?:jsessionid|phpsessid|asp\.net_sessionid|connect\.sid|sessionid)=)(?P<secret>[\w%.:-]{8,})",
    ),
    (("://",), r"(?<=://)[^/\s:@]*:(?P<secret>[^/\s]+)(?=@)"),
    (("://",), r"(?<=://)(?P<secret>(?=[^/\s@]*\d)[^/\s:@]{16,})(?=@)"),
    (("--",), rf"(?i:--{LOOSE}[ =])(?P<secret>[^\s\"']+)"),
    (
        ("curl",),
        r"(?i:\bcurl\b[^\r\n]{0,400}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']+:)(?P<secret>[^\s\"']+)",
    ),
    (("sshpass",), r"(?i:\bsshpass\s+-p\s*[\"']?)(?P<secret>[^\s\"']+)"),
    (("mysql",), r"(?i:\bmysql(?:dump|admin)?\b[^\r\n]{0,400}?\s-p)(?P<secret>[^\s\"']{3,})"),
    (("login",), r"(?i:\blogin\s+\S+\s+password\s+)(?P<secret>\S+)"),  # of .netrc
    (
        ("<input",),
        r"(?i:<input\b[^<>]*\btype=\\?[\"']?password\b[^<>]*?\bvalue=(?P<quote>\\?[\"']))" + QUOTED,
    ),
    # NAME: "VALUE" to the quote that ends it; NAME=VALUE to the next space; NAME: VALUE if it is not a common word.
    (
        NAMED,
        rf"(?i:{EDGE}{LOOSE}\\?[\"']?\s*[=:：]\s*(?P<quote>\\?[\"'])(?:(?:bearer|basic|token)\s+)?)" + QUOTED,
    ),
    (
        NAMED,
        rf"(?i:{EDGE}{LOOSE}=(?:(?:bearer|basic|token)\s+)?){NOTHING}(?P<secret>(?![\w.]*\()[^\s\"'\\&]+)",
    ),
    (
        NAMED,
        rf"(?i:{EDGE}{LOOSE}\s*(?:[=:]\s+|：\s*)(?:(?:bearer|token)\s+)?){NOTHING}" + UNCOMMON,
    ),
    (  # a header as a pair, of which Python makes a text
        NAMED,
        rf"(?i:[\[(]b?[\"']{LOOSE}[\"'],\s*b?[\"'](?:(?:bearer|basic|token)\s+)?)"
        r"(?P<secret>(?=[^\"']*\d)[^\"']{4,})(?=[\"'][\])])",
    ),
    (  # what a refusal says: Invalid API key provided: VALUE
        ("key", "token", "password"),
        rf"(?i:{EDGE}(?:api[ _-]?key|token|password)\s+(?:provided|given|was|is|used)\s*:\s*)" + UNCOMMON,
    ),
)


# Looked up word by word, since several forms share words and most texts hold none of them.
FORMS_BY_WORD = {
    word: tuple(at for at, (words, _) in enumerate(FORMS) if word in words) for words, _ in FORMS for word in words
}


def secrets_in(text: str) -> re.Pattern[str] | None:
    """The pattern of those forms that a text may hold; None where it can hold none."""
    plain = text.casefold()
    found = [word for word in FORMS_BY_WORD if word in plain]
    return _pattern_of(tuple(sorted({at for word in found for at in FORMS_BY_WORD[word]}))) if found else None


@lru_cache(maxsize=256)  # texts could be made to hold any words
def _pattern_of(forms: tuple[int, ...]) -> re.Pattern[str]:
    numbered = [re.sub(r"(?<=\(\?P[<=])(secret|quote)", rf"\g<1>{at}", FORMS[at][1]) for at in forms]
    return re.compile("|".join(f"(?:{text})" for text in numbered), re.DOTALL)
