"""Direct messages on the server of configs/minimal.yaml, with the unmodified PyPI package zulip."""

import os

import requests
import zulip

site = os.environ["INTEROP_SITE"]
email = os.environ["INTEROP_EMAIL"]
other = int(os.environ["INTEROP_OTHER_ID"])


def ok(answer, what):
    assert answer["result"] == "success", f"{what}: {answer}"
    return answer


def log_in(username):
    data = {"username": username, "password": os.environ["INTEROP_PASSWORD"]}
    answer = requests.post(f"{site}/api/v1/fetch_api_key", data=data, timeout=10).json()
    return zulip.Client(email=username, api_key=ok(answer, f"log in as {username}")["api_key"], site=site)


client, reader = log_in(email), log_in("other@example.com")
assert client.get_server_settings()["zulip_feature_level"] > 0
me = ok(client.get_profile(), "who am I")
queue = ok(reader.register(event_types=["message", "update_message", "update_message_flags", "reaction"]), "register")
last = queue["last_event_id"]
seen = []


def until(wanted, what):
    global last
    for _ in range(20):
        for event in seen:
            if wanted(event):
                return event
        answer = ok(reader.get_events(queue_id=queue["queue_id"], last_event_id=last), f"poll for {what}")
        for event in answer["events"]:
            last = event["id"]
            seen.append(event)
    raise AssertionError(f"{what} never came; came: {seen}")


sent = ok(client.send_message({"type": "private", "to": [other], "content": "Hello *person* :smile:"}), "send")["id"]
got = until(lambda e: e["type"] == "message", "the message")["message"]
assert got["id"] == sent and got["sender_id"] == me["user_id"], got
assert {p["id"] for p in got["display_recipient"]} == {me["user_id"], other}, got

newest = {"anchor": "newest", "num_before": 10, "num_after": 0}
read = ok(reader.get_messages({**newest, "narrow": [{"operator": "is", "operand": "dm"}]}), "read")["messages"]
assert read[-1]["id"] == sent and "<em>person</em>" in read[-1]["content"], read
found = ok(reader.get_messages({**newest, "narrow": [["search", "person"]]}), "search")["messages"]
assert [m["id"] for m in found] == [sent], found

ok(reader.update_message_flags({"messages": [sent], "op": "add", "flag": "read"}), "mark as read")
until(lambda e: e["type"] == "update_message_flags" and sent in e["messages"], "the flag event")
ok(client.add_reaction({"message_id": sent, "emoji_name": "octopus"}), "react")
until(lambda e: e["type"] == "reaction" and e["op"] == "add", "the reaction")
ok(client.update_message({"message_id": sent, "content": "Hello again"}), "edit")
until(lambda e: e["type"] == "update_message" and e.get("content") == "Hello again", "the edit")

# A client that registers for everything, as apps do, receives the parts of the modules that run.
whole = ok(client.register(), "register for everything")
assert {u["user_id"] for u in whole["realm_users"]} >= {me["user_id"], other}, whole["realm_users"]
assert client.add_subscriptions([{"name": "python"}])["result"] == "error", "channels do not run"

ok(reader.deregister(queue["queue_id"]), "deregister")
print("zulip (Python) with minimal.yaml: passed")
