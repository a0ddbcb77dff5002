"""Where a conversation or a run ended, and what was last asked for."""

from meridia.resume.layout import interruption_lines
from tests.resume.experience_builders import agent, experience


def told(*experiences):
    return {line.lead: line.items[0].text for line in interruption_lines(experiences)}


def test_a_conversation_ends_with_its_last_words_and_what_nobody_asked_is_not_asked():
    lines = told(
        experience(1, "I got the job. Can you believe it? I want to text her."),
        experience(2, "Ha, lucky me.", person="Ilse"),
    )
    assert lines == {"The last words:": "Ilse: “Ha, lucky me.”"}


def test_the_last_request_is_quoted_without_what_stands_around_it():
    lines = told(
        experience(1, "It rains. Please open a branch. Could you tell Piotr? I leave now."),
        experience(2, "I'll push it myself tonight. Thanks! Please."),
        agent(3, "Shall I go on?"),
    )
    assert lines["Last asked for:"] == "Nora: “Please open a branch. Could you tell Piotr?”"


def test_a_run_of_tools_is_for_what_its_first_message_says():
    step = experience(2, "ok", None, kind="tool_result", tool="bash")
    lines = told(experience(1, "Publish the website."), step)
    assert lines["Last asked for:"] == "Nora: “Publish the website.”"
    assert lines["It broke off at:"].startswith("tool bash")
