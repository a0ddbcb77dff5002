"""Times of other languages are read as they are in English."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from meridia.core.people import Gazetteer
from meridia.language.analyser import Analyser
from meridia.language.questions.periods import named_times
from meridia.language.questions.question import parse_question
from meridia.language.questions.time_words import in_english

NOW = datetime(2026, 3, 18, 12, tzinfo=UTC)  # a Wednesday
#: By language: questions, each with its time in English.
QUESTIONS = {
    "german": {
        "Was habe ich vorgestern gemacht?": "the day before yesterday",
        "Was haben wir gestern Abend gegessen?": "yesterday",
        "Wen habe ich vor drei Tagen getroffen?": "three days ago",
        "Was war vor einer Woche?": "a week ago",
        "Was habe ich letzte Woche gekauft?": "last week",
        "Was ist in den letzten 14 Tagen passiert?": "the last 14 days",
        "Was habe ich vorletzten Monat gelesen?": "month before last",
        "Wo waren wir letzten Sommer?": "last summer",
        "Was haben wir am letzten Dienstag beschlossen?": "last tuesday",
        "Was haben wir am 3. Mai 2025 beschlossen?": "3 may 2025",
        "Was ist im März 2025 passiert?": "in march 2025",
        "Was habe ich Ende Februar gemacht?": "late february",
        "Was ist an Heiligabend passiert?": "christmas eve",
        "Was ist im Jahr 2024 passiert?": "in 2024",
    },
    "french": {
        "Qu'est-ce que j'ai fait avant-hier ?": "the day before yesterday",
        "Qu'est-ce que j’ai fait hier soir ?": "yesterday",
        "Qui est-ce que j'ai vu il y a deux semaines ?": "two weeks ago",
        "Qu'est-ce que j'ai fait la semaine dernière ?": "last week",
        "Où sommes-nous allés l'été dernier ?": "last summer",
        "Que s'est-il passé le 14 juillet 2025 ?": "14 july 2025",
        "Que s'est-il passé en mars 2025 ?": "in march 2025",
        "Qu'est-ce que j'ai acheté au début de février ?": "early february",
    },
    "spanish": {
        "¿Qué hice ayer?": "yesterday",
        "¿Qué hicimos anoche?": "last night",
        "¿A quién vi hace tres días?": "three days ago",
        "¿Qué hice la semana pasada?": "last week",
        "¿Qué compré el mes pasado?": "last month",
        "¿Qué hice el lunes pasado?": "last monday",
        "¿Qué pasó el 5 de mayo de 2025?": "5 may 2025",
        "¿Qué pasó en marzo de 2025?": "in march 2025",
        "¿Qué hice en los últimos 10 días?": "the last 10 days",
    },
    "portuguese": {
        "O que eu fiz anteontem?": "the day before yesterday",
        "O que fizemos na semana passada?": "last week",
        "Quem eu vi há três dias?": "three days ago",
        "O que eu fiz dois meses atrás?": "two months ago",
        "O que aconteceu em março de 2025?": "in march 2025",
    },
    "italian": {
        "Che cosa ho fatto l'altro ieri?": "the day before yesterday",
        "Che cosa ho fatto la settimana scorsa?": "last week",
        "Chi ho visto tre giorni fa?": "three days ago",
        "Che cosa è successo nel marzo 2025?": "in march 2025",
        "Dove siamo andati l'estate scorsa?": "last summer",
    },
    "dutch": {
        "Wat heb ik eergisteren gedaan?": "the day before yesterday",
        "Wat heb ik vorige week gekocht?": "last week",
        "Wie heb ik drie dagen geleden gezien?": "three days ago",
        "Wat is er in maart 2025 gebeurd?": "in march 2025",
    },
    "swedish": {
        "Vad gjorde jag i förrgår?": "the day before yesterday",
        "Vad köpte jag förra veckan?": "last week",
        "Vem träffade jag för tre dagar sedan?": "three days ago",
        "Vad hände i mars 2025?": "in march 2025",
    },
    "polish": {
        "Co robiłem przedwczoraj?": "the day before yesterday",
        "Co kupiłem w zeszłym tygodniu?": "last week",
        "Kogo widziałam trzy dni temu?": "three days ago",
        "Co się stało w marcu 2025?": "in march 2025",
        "Co się działo 5 maja 2025?": "5 may 2025",
    },
    "russian": {
        "Что я делал позавчера?": "the day before yesterday",
        "Что я купила на прошлой неделе?": "last week",
        "Кого я видел три дня назад?": "three days ago",
        "Кого я видел неделю назад?": "1 week ago",
        "Что было в прошлом месяце?": "last month",
        "Что случилось 5 марта 2025 года?": "5 march 2025",
        "Где мы были летом 2024 года?": "in summer 2024",
    },
    "ukrainian": {
        "Що я робив позавчора?": "the day before yesterday",
        "Що я купила минулого тижня?": "last week",
        "Кого я бачив п'ять днів тому?": "five days ago",
    },
    "turkish": {
        "Dün ne yaptım?": "yesterday",
        "Geçen hafta ne aldım?": "last week",
        "Üç gün önce kimi gördüm?": "three days ago",
        "Mart 2025'te ne oldu?": "in march 2025",
        "5 Mayıs 2025 günü ne oldu?": "5 may 2025",
    },
    "indonesian": {
        "Apa yang saya lakukan kemarin?": "yesterday",
        "Apa yang saya beli minggu lalu?": "last week",
        "Siapa yang saya temui tiga hari yang lalu?": "three days ago",
    },
    "vietnamese": {
        "Hôm qua tôi đã làm gì?": "yesterday",
        "Tuần trước tôi đã mua gì?": "last week",
        "Ba ngày trước tôi đã gặp ai?": "three days ago",
        "Tháng 3 năm 2025 có chuyện gì xảy ra?": "in march 2025",
    },
    "arabic": {
        "ماذا فعلت أمس؟": "yesterday",
        "ماذا اشتريت الأسبوع الماضي؟": "last week",
        "من رأيت قبل ثلاثة أيام؟": "three days ago",
        "من رأيت قبل يومين؟": "two days ago",
        "ماذا حدث في مارس 2025؟": "in march 2025",
    },
    "hindi": {
        "मैंने कल क्या किया?": "yesterday",
        "मैंने पिछले हफ्ते क्या खरीदा?": "last week",
        "मैं तीन दिन पहले किससे मिला?": "three days ago",
        "मार्च 2025 में क्या हुआ?": "in march 2025",
    },
    "thai": {
        "เมื่อวานฉันทำอะไร": "yesterday",
        "สัปดาห์ที่แล้วฉันซื้ออะไร": "last week",
        "3 วันก่อนฉันเจอใคร": "3 days ago",
        "เดือนที่แล้วเกิดอะไรขึ้น": "last month",
    },
    "japanese": {
        "昨日何をした?": "yesterday",
        "一昨日は何を食べた?": "the day before yesterday",
        "先週何を買った?": "last week",
        "３日前に誰に会った?": "3 days ago",
        "三週間前に誰に会った?": "three weeks ago",
        "去年の三月に何をした?": "march last year",
        "2025年3月5日に何があった?": "5 march 2025",
        "先週の火曜日に何をした?": "tuesday last week",
        "2024年の夏にどこへ行った?": "in summer 2024",
    },
    "korean": {
        "어제 뭐 했지?": "yesterday",
        "그저께 뭐 먹었어?": "the day before yesterday",
        "지난주에 뭐 샀어?": "last week",
        "3일 전에 뭐 정했지?": "3 days ago",
        "두 달 전에 누구를 만났지?": "two months ago",
        "지난달에 뭐 했어?": "last month",
        "작년 3월에 뭐 했어?": "march last year",
        "2025년 3월 5일에 무슨 일이 있었지?": "5 march 2025",
    },
    "chinese": {
        "我昨天做了什么？": "yesterday",
        "我前天吃了什么？": "the day before yesterday",
        "上周我买了什么？": "last week",
        "三天前我见了谁？": "three days ago",
        "上个月发生了什么？": "last month",
        "去年三月我做了什么？": "march last year",
        "2025年3月5日发生了什么？": "5 march 2025",
        "上周二我做了什么？": "tuesday last week",
        "两个星期前我去了哪里？": "two weeks ago",
    },
}
ASKED = [(text, said) for asked in QUESTIONS.values() for text, said in asked.items()]


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_time_is_read_as_in_english_and_taken_out_alone(language: str) -> None:
    for text, said in QUESTIONS[language].items():
        found, expected = named_times(text, NOW), named_times(said, NOW)
        assert expected.places, said
        assert found.dates == expected.dates, text
        assert [p.spans for p in found.periods] == [p.spans for p in expected.periods], text
        rest = found.without(text)
        assert len(rest) == len(text)
        assert named_times(rest, NOW).places == (), text
        assert all(text[start:end].strip() for start, end in found.places), text
        assert all(period.label in text for period in found.periods), text


@pytest.mark.parametrize(
    "text",
    [
        "Was habe ich vorgestern gemacht?",
        "Was ist letzte Woche passiert?",
        "Qu'est-ce que j'ai fait hier ?",
        "¿Qué hice ayer?",
        "O que aconteceu ontem?",
        "Что я делал вчера?",
        "昨日何をした？",
        "去年の三月に何をした？",
        "어제 뭐 했지?",
        "我昨天做了什么？",
        "เมื่อวานฉันทำอะไร",
    ],
)
def test_a_question_may_ask_for_whatever_happened_then(text: str) -> None:
    assert parse_question(text, Analyser(), Gazetteer(()), NOW).asks_of_time


@pytest.mark.parametrize(
    "text", ["Was habe ich vorgestern gekocht?", "昨日何を食べた？", "上周我买了什么？"]
)
def test_a_question_may_ask_for_one_thing_that_happened_then(text: str) -> None:
    assert not parse_question(text, Analyser(), Gazetteer(()), NOW).asks_of_time


@pytest.mark.parametrize(
    "text",
    [
        "What did I do with the hier archive and the mars bar in été?",
        "Who is Mai?",
        "Was it May who will march with us?",
        "Where is the sommer file that we have?",
        "",
        "🎂",
        "Wo wohnt meine Schwester?",
        "昨の",
        "Marta y Julio viven en Lima",
    ],
)
def test_what_names_no_time_stays_as_it_is(text: str) -> None:
    assert in_english(text)[0] == text
