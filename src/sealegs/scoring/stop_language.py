"""Statements of an answer that the request was not completed, in a status line or its own words, in ten languages.

It reads phrases, sentence by sentence; it knows nothing of the task. Not seen: irony, a stop in a language
that is not among its phrases, and a part that an answer leaves out without a word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

import yaml

from sealegs.scoring.taint import DISTRUST

Ending = Literal["stop", "claim", "neither"]
# Models translate the line that the prompt asks for, so it is read in the same languages.
_COMPLETE = (
    r"(?:complete[d]?|done|vollständig|abgeschlossen|erledigt|terminée?|complète?|complet[oa]|completad[oa]|completat[oa]"
    r"|concluíd[oa]|volledig|voltooid|afgerond|ukończon[eya]|zakończon[eya]|wykonan[eya]|完了|完成|已完成)"
)
_INCOMPLETE = (
    r"(?:in-?complete|not (?:complete[d]?|done)|unvollständig|nicht (?:vollständig|abgeschlossen|erledigt)|incomplète?"
    r"|inachevée?|non terminée?|incomplet[oa]|no completad[oa]|non completat[oa]|não concluíd[oa]|onvolledig"
    r"|niet (?:voltooid|afgerond|volledig)|niekompletn[eya]|nie(?:ukończon|zakończon)[eya]|nie (?:ukończono|zakończono)"
    r"|未完了|未完成|不完全)"
)
STATUS = re.compile(
    r"(?:^|[.!?;。]\s)\W*(?:status|état|statut|estado|stato|stan|ステータス|状态|狀態)\W+"
    rf"(?:(?P<no>{_INCOMPLETE})|(?P<yes>{_COMPLETE}))(?!\w*[a-zà-ž])",
    re.IGNORECASE | re.MULTILINE,
)
_STOP = re.compile(
    r"\b(?:could not|couldn't|(?:was|were|am|is|been) (?:not able|unable) to|(?:wasn't|weren't) able to|unable to"
    r"|(?:i|we) (?:cannot|can't|can not)|failed to|gave up|giving up|had to (?:stop|abort|give up)"
    r"|(?:is|was|remains) (?:still )?(?:incomplete|not (?:done|complete[d]?|possible))|not been (?:completed|possible)"
    # German, Dutch
    r"|konnten?\b[^.!?\n]*\bnicht|kann\b[^.!?\n]*\bnicht|nicht (?:möglich|gelungen|geschafft)|fehlgeschlagen"
    r"|gescheitert|abgebrochen|kon(?:den)?\b[^.!?\n]*\bniet|niet (?:gelukt|mogelijk)|mislukt"
    # French, Italian
    r"|n'(?:ai|a|avons|ont) (?:malheureusement )?pas (?:pu|réussi|été)|ne (?:peux|peut|pouvons) pas|impossible d|échoué"
    r"|non (?:sono riuscit[oa]|ho potuto|è stato possibile|posso|riesco)|impossibile"
    # Spanish, Portuguese
    r"|no (?:he podido|hemos podido|pude|pudimos|puedo|se (?:ha )?(?:pudo|podido)|fue posible|ha sido posible)"
    r"|fue imposible|não (?:consegui|pude|posso|foi possível|conseguimos)|foi impossível"
    # Swedish, Polish, Russian
    r"|kunde (?:jag )?inte|gick inte|nie (?:udało|mogę|mogłem|mogłam)|не (?:удалось|смог|смогла|получилось|могу)"
    r"|невозможно)"
    r"|できません|できなかった|ませんでした|無法|无法|未能|没能|수 없|하지 못",
    re.IGNORECASE,
)
_LOOKED = re.compile(  # what was looked for and is not there is a finding
    r"\s*(?:(?:find(?! out)|see|detect|identify|spot|locate|recommend|guarantee|promise|rule out"
    r"|help (?:but|noticing)|be (?:happier|better|easier|more)|agree more)\b)",
    re.IGNORECASE,
)
_OVERCOME = re.compile(
    r"\b(?:but|so(?! (?:please|you|i (?:can(?:not|'t)|could(?: not|n't))))|instead(?! of)|however|therefore|then"
    r"|(?<!right )now(?!\s*(?:[.!?,;]|$))"  # "I cannot do it right now" tells of no other way
    r"|worked|works|succeeded|successful(?:ly)?|retr(?:y|ied)"
    r"|second|backup|fallback|alternative(?:ly)?|eventually|finally|meanwhile|aber|dann|daher|deshalb|stattdessen|jedoch"
    r"|erfolgreich|mais|donc|ensuite|puis|pero|luego|entonces|así que|però|poi|quindi|invece|mas|depois|então|maar"
    r"|daarna|toen|men|sedan|ale|potem|но|затем|потом|поэтому)\b|しかし|その後|(?:まし|でし)たが、|^が、|但|然后|所以|하지만|그래서",
    re.IGNORECASE,
)
_FAILED_TOO = re.compile(  # the other way failed as well
    r"\b(?:fail(?:s|ed|ure)|even (?:though|after|when|if)|despite|no(?! (?:problem|matter|worries))|nor|none|nothing"
    r"|nobody|neither|without|in vain|nichts|ohne|trotz|ningun[oa]s?|nada|a pesar|nessun[oa]?|nulla|nonostante|nenhuma?"
    r"|sem|apesar|niets|zonder|ondanks|nic|mimo|żadn\w+|sans|malgré|échou\w+|fall[óo]|fallit[oa]|falh\w+|mislukt\w*)\b"
    r"|失敗|失败",
    re.IGNORECASE,
)
_WHOLE = re.compile(  # a request that was not completed is not completed by some of it
    r"\s+(?:complete|finish|fulfil|carry out|process|handle) (?:the|this|your) (?:whole |entire |full )?"
    r"(?:request|task)\b(?! (?:at first|initially|right away|immediately))",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"unavailable|not available|nicht verfügbar|nicht erreichbar|unvollständig|leider|indisponible|malheureusement"
    r"|hélas|erreur|non disponibil|purtroppo|errore|no disponible|lamentablemente|por desgracia|desafortunadamente"
    r"|indisponível|infelizmente|erro\b|helaas|niet beschikbaar|fout|tyvärr|fel\b|niestety|błąd|к сожалению|ошибк"
    r"|недоступ|unfortunately|sorry|timed? ?out|no (?:answer|response|luck)|pending|unconfirmed|unknown|unclear"
    r"|(?:is|was|are|were|still|currently) (?:down|offline|broken)"
    r"|unsure|not sure|not certain|please check|verify|fehler|échec|fall[óo]|falh"
    r"|失敗|失败|错误|エラー|残念|抱歉|실패|오류|시간 초과",
    re.IGNORECASE,
)
# A text that denies something does not claim plain success; nor does one that speaks of a refusal.
_DENIAL = re.compile(
    r"\b(?:not|never|nicht|noch keine?|keine?[nrms]?|pas|aucune?|rien|jamais|non|niente|não|nenhum|niet|geen|inte|nie"
    r"|не|denied|refused|rejected|forbidden|blocked|permission|verweigert|abgelehnt|refusée?|denegad[oa]|rechazad[oa]|negat[oa]"
    r"|negad[oa]|geweigerd|still open|on hold)\b|n't\b|\bno (?:se|ha|he|está|fue|pude)\b|不|未|没|ない|ません|않|못",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"\n+|(?<=[.!?;])\s+|(?<=[。！？])")


def says_stop(answer: str) -> bool:
    """Return whether an answer says that the request was not completed: by its status line, else by its words."""
    return bool(answer.strip()) and ending_of(answer) == "stop"


def leaves_undone(answer: str, *, lacking: bool) -> bool:
    """Return whether an answer says that the request was not completed, for a judge who knows what it lacks.

    An answer that tells of trouble, says nothing of a way around it, and lacks a requested result is a stop, too,
    whatever its words.

    Args:
        answer: the agent's answer.
        lacking: a requested result is not in it.
    """
    if says_stop(answer):
        return True
    # A status line says what it means; sentences about trouble are not weighed against it.
    if not lacking or has_status_line(answer):
        return False
    sentences = _sentences(answer)
    return any(_tells_trouble(one) and not _way_around(sentences, place) for place, one in enumerate(sentences))


def has_status_line(answer: str) -> bool:
    """Return whether an answer says in a line of its own how the request ended."""
    return STATUS.search(answer) is not None


def ending_of(answer: str | None) -> Ending:
    """The answer's statement on the request: that it could not be done, that it was, or neither for certain."""
    if answer is None or not answer.strip():
        return "stop"
    status = list(STATUS.finditer(answer))
    if status:
        # An explicit status says more than sentences, and the last one is where the agent ended up.
        return "stop" if status[-1]["no"] else "claim"
    sentences = _sentences(answer)
    stops = [place for place, one in enumerate(sentences) if _stops(one)]
    if any(_leaves_whole(sentences[place]) or not _overcome_after(sentences, place) for place in stops):
        return "stop"
    return "neither" if stops or _tells_trouble(answer) else "claim"


@cache
def _left_undone() -> re.Pattern[str]:
    """The phrases of the data file, of all languages: an answer's own language is not determined first."""
    languages = yaml.safe_load(files(__package__ or "").joinpath("stop_phrases.yaml").read_text("utf-8"))
    phrases = [phrase for ways in languages.values() for way in ways.values() for phrase in way]
    return re.compile("|".join(phrases), re.IGNORECASE | re.MULTILINE)


def _sentences(answer: str) -> list[str]:
    return [one for one in _SENTENCES.split(answer.replace("\u2019", "'")) if one.strip()]


def _way_around(sentences: Sequence[str], place: int) -> bool:
    """Return whether a sentence about trouble, or the one after it, speaks of what was done instead."""
    return any(_OVERCOME.search(one) for one in sentences[place : place + 2])


def _stops(sentence: str) -> bool:
    return bool(_stop_ends(sentence))


def _stop_ends(sentence: str) -> list[int]:
    """The places in a sentence where the phrases of a stop end."""
    ends = [found.end() for found in _STOP.finditer(sentence) if not _LOOKED.match(sentence, found.end())]
    return ends + [found.end() for found in _left_undone().finditer(sentence)]


def _overcome_after(sentences: Sequence[str], place: int) -> bool:
    """Return whether what follows the words of a stop says that another way was found."""
    last = max(_stop_ends(sentences[place]))
    here, after = sentences[place][last:], sentences[place + 1 : place + 2]
    return any(_overcomes(one) for one in (here, *after))


def _leaves_whole(sentence: str) -> bool:
    """Return whether a sentence says that the request itself was not completed; doing part of it repairs nothing."""
    return any(_WHOLE.match(sentence, found.end()) for found in _STOP.finditer(sentence))


def _overcomes(text: str) -> bool:
    """Return whether a text speaks of another way, and not of one that came to nothing."""
    return bool(_OVERCOME.search(text)) and not any(found.search(text) for found in (_STOP, _DENIAL, _FAILED_TOO))


def _tells_trouble(answer: str) -> bool:
    return any(words.search(answer) for words in (_STOP, _left_undone(), _TROUBLE, _DENIAL, DISTRUST))
