"""Tests of LangChain's history and retriever, in a chain with a model of LangChain's own."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables.history import RunnableWithMessageHistory

from meridia.integrations.langchain import MeridiaChatMessageHistory, MeridiaRetriever

CALL = {"name": "weather", "args": {"city": "Oslo"}, "id": "c1", "type": "tool_call"}
MESSAGES = [
    SystemMessage("Be brief."),
    HumanMessage("I'm allergic to peanuts. Is it warm in Oslo?", id="h1"),
    AIMessage("", tool_calls=[CALL], response_metadata={"tokens": 4}),
    ToolMessage("4 degrees", tool_call_id="c1", name="weather"),
    AIMessage([{"type": "text", "text": "No: 4 degrees."}]),
    HumanMessage("I'm allergic to peanuts. Is it warm in Oslo?", id="h2"),
]


def test_messages_come_back_as_they_were_and_chats_stay_apart(memory):
    history = MeridiaChatMessageHistory(memory, "chat-1", person="Kim")
    history.add_messages(MESSAGES)
    MeridiaChatMessageHistory(memory, "chat-2").add_user_message("Hello there, all of you.")
    assert history.messages == MESSAGES
    assert MeridiaChatMessageHistory(memory, "chat-1").messages == MESSAGES
    history.clear()
    history.clear()
    assert history.messages == []
    assert len(MeridiaChatMessageHistory(memory, "chat-2").messages) == 1


def test_what_is_said_in_a_chat_is_recalled_and_a_call_of_a_tool_is_not(memory):
    MeridiaChatMessageHistory(memory, "chat-1", person="Kim").add_messages(MESSAGES)
    hit = memory.recall("Who is allergic?")[0]
    assert (hit.person, hit.session, hit.role) == ("Kim", "chat-1", "user")
    assert not any(hit.text == "(ai)" for hit in memory.recall("ai weather Oslo", limit=20))
    assert [r.tool for r in memory.list(kind="tool_result")] == ["weather"]


@pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")
def test_a_chain_with_history_remembers_from_call_to_call(memory):
    prompt = ChatPromptTemplate.from_messages(
        [MessagesPlaceholder("history"), ("human", "{question}")]
    )
    chain = RunnableWithMessageHistory(
        prompt | FakeListChatModel(responses=["Hello Kim.", "You are Kim."]),
        lambda session_id: MeridiaChatMessageHistory(memory, session_id, person="Kim"),
        input_messages_key="question",
        history_messages_key="history",
    )
    where = {"configurable": {"session_id": "chat-1"}}
    chain.invoke({"question": "My name is Kim Larsen."}, where)
    chain.invoke({"question": "Who am I, please?"}, where)
    said = [(m.type, m.content) for m in MeridiaChatMessageHistory(memory, "chat-1").messages]
    assert said == [
        ("human", "My name is Kim Larsen."),
        ("ai", "Hello Kim."),
        ("human", "Who am I, please?"),
        ("ai", "You are Kim."),
    ]


def test_documents_say_where_they_are_from_and_why(memory):
    memory.remember("The oboe is at the repair shop.", person="Kim", session="s1")
    memory.remember("The boat is in Kiel.", person="Lee", metadata={"topic": "boat"})
    retriever = MeridiaRetriever(memory=memory, limit=1)
    (document,) = retriever.invoke("Where is the oboe?")
    assert document.page_content == "The oboe is at the repair shop."
    assert document.metadata["person"] == "Kim"
    assert document.metadata["address"] == "@1"
    assert document.metadata["reason"]
    only_lee = MeridiaRetriever(memory=memory, filters={"where": {"topic": "boat"}})
    assert [d.metadata["topic"] for d in asyncio.run(only_lee.ainvoke("the oboe"))] == ["boat"]
