"""The scenario of app/interop/README.md for the unmodified terminal client.

It runs the client's model, which provides everything that the client shows, without a screen.
"""

import os
import sys
import time
import traceback

import requests
import zulip
from zulipterminal import model
from zulipterminal.version import ZT_VERSION

site = os.environ["INTEROP_SITE"]


def log_in(email):
    data = {"username": email, "password": os.environ["INTEROP_PASSWORD"]}
    answer = requests.post(f"{site}/api/v1/fetch_api_key", data=data, timeout=10).json()
    agent = f"ZulipTerminal/{ZT_VERSION} interop"
    return zulip.Client(email=answer["email"], api_key=answer["api_key"], site=site, client=agent)


def ok(answer, what):
    assert answer["result"] == "success", f"{what}: {answer}"
    return answer


me, other = log_in(os.environ["INTEROP_EMAIL"]), log_in("other@example.com")
ok(me.add_subscriptions([{"name": "terminal"}], principals=[me.email, other.email]), "subscribe")
channel = ok(me.get_stream_id("terminal"), "channel id")["stream_id"]


def say(content, topic="greetings"):
    message = {"type": "stream", "to": "terminal", "topic": topic, "content": content}
    return ok(other.send_message(message), "send")["id"]


ok(me.mark_all_as_read(), "mark as read")  # the client loads the messages around the first unread one
old = say("Hello **terminal** :smile:")
ok(other.send_message({"type": "private", "to": [me.email], "content": "Hello person"}), "send to a person")


class Controller:
    """The parts of the application that the model needs before there is a screen."""

    client = me
    notify_enabled = False
    failures = []

    def raise_exception_in_main_thread(self, exc_info, critical):
        self.failures.append("".join(traceback.format_exception(*exc_info)))

    def report_success(self, *_, **__):
        pass

    def report_error(self, text, *_, **__):
        self.failures.append(str(text))


model.set_count = lambda *_: None  # waits for the screen
model.Model._update_rendered_view = lambda *_: None
controller = Controller()
terminal = model.Model(controller)
assert terminal.unread_counts["unread_topics"][(channel, "greetings")] == 1, terminal.unread_counts
assert terminal.stream_dict[channel]["name"] == "terminal" and old in terminal.index["messages"]
terminal.poll_for_events()


def until(condition, what):
    end = time.time() + 20
    while not condition():
        assert not controller.failures, controller.failures[0]
        assert time.time() < end, f"waited for {what} in vain"
        time.sleep(0.02)


new = say("More")
until(lambda: new in terminal.index["messages"], "a message")
message = terminal.index["messages"][new]
assert (message["subject"], message["sender_full_name"]) == ("greetings", "Other"), message
ok(other.add_reaction({"message_id": new, "emoji_name": "octopus"}), "react")
until(lambda: [r["emoji_name"] for r in message["reactions"]] == ["octopus"], "a reaction")
ok(other.remove_reaction({"message_id": new, "emoji_name": "octopus"}), "take the reaction back")
until(lambda: not message["reactions"], "the reaction's end")
change = {"message_id": new, "content": "Changed", "topic": "farewells", "propagate_mode": "change_one"}
ok(other.update_message(change), "edit")
until(lambda: "Changed" in message["content"] and message["subject"] == "farewells", "the edit")
ok(me.update_message_flags({"messages": [new], "op": "add", "flag": "read"}), "mark as read")
until(lambda: "read" in message["flags"], "the flag")
setting = {"stream_id": channel, "property": "is_muted", "value": True}
ok(me.update_subscription_settings([setting]), "change a subscription")
ok(other.remove_subscriptions(["terminal"]), "unsubscribe")
until(lambda: terminal.get_other_subscribers_in_stream(channel) == [], "the other to leave")
ok(me.call_endpoint("settings", method="PATCH", request={"twenty_four_hour_time": True}), "change a setting")
until(lambda: terminal.user_settings()["twenty_four_hour_time"], "the setting")

assert set(terminal.topics_in_stream(channel)) >= {"greetings", "farewells"}
assert [h["topic"] for h in terminal.fetch_message_history(new)] == ["greetings", "farewells"]
assert terminal.fetch_raw_message_content(new) == "Changed"
assert terminal.get_user_info(terminal.user_id)["role"] == 100
assert not controller.failures, controller.failures[0]
print(f"zulip-terminal {ZT_VERSION}: passed")
sys.stdout.flush()
os._exit(0)  # its threads never end
