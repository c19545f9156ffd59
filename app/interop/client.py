"""The scenario of app/interop/README.md with the unmodified PyPI package zulip."""

import os
import tempfile

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
    return ok(requests.post(f"{site}/api/v1/fetch_api_key", data=data, timeout=10).json(), f"log in as {username}")


client = zulip.Client(email=email, api_key=log_in(email)["api_key"], site=site)
assert client.get_server_settings()["zulip_feature_level"] > 0
me = ok(client.get_profile(), "who am I")

event_types = ["message", "subscription", "stream", "update_message_flags"]
event_types += ["update_message", "delete_message", "reaction"]
queue = ok(client.register(event_types=event_types), "register")
last = queue["last_event_id"]
seen = []


def until(wanted, what):
    global last
    for _ in range(20):
        for event in seen:
            if wanted(event):
                return event
        answer = ok(client.get_events(queue_id=queue["queue_id"], last_event_id=last), f"poll for {what}")
        for event in answer["events"]:
            assert event["id"] > last, f"event ids rise: {event['id']} after {last}"
            last = event["id"]
            seen.append(event)
    raise AssertionError(f"{what} never came; came: {seen}")


name = "python"
added = ok(client.add_subscriptions([{"name": name, "description": "From Python"}]), "subscribe")
assert added["subscribed"] == {str(me["user_id"]): [name]}, added
until(
    lambda e: e["type"] == "subscription" and e["op"] == "add" and e["subscriptions"][0]["name"] == name,
    "the subscription",
)
stream_id = ok(client.get_stream_id(name), "channel id")["stream_id"]

message = {"type": "stream", "to": name, "topic": "greetings", "content": "Hello **channel** :smile:"}
to_channel = ok(client.send_message(message), "send to a channel")["id"]
message = {"type": "private", "to": [other], "content": "Hello person"}
to_person = ok(client.send_message(message), "send to a person")["id"]
got = until(lambda e: e["type"] == "message" and e["message"]["id"] == to_channel, "the channel message")["message"]
assert (got["stream_id"], got["subject"], got["display_recipient"]) == (stream_id, "greetings", name), got
direct = until(lambda e: e["type"] == "message" and e["message"]["id"] == to_person, "the direct message")["message"]
assert {p["id"] for p in direct["display_recipient"]} == {me["user_id"], other}, direct

newest = {"anchor": "newest", "num_before": 10, "num_after": 0}
fetched = ok(client.get_messages({**newest, "narrow": [{"operator": "channel", "operand": name}]}), "fetch")
assert "<strong>channel</strong>" in next(m["content"] for m in fetched["messages"] if m["id"] == to_channel)
assert ok(client.get_raw_message(to_person), "fetch one")["raw_content"] == "Hello person"

ok(client.update_message_flags({"messages": [to_channel, to_person], "op": "add", "flag": "read"}), "mark as read")
flags = until(lambda e: e["type"] == "update_message_flags" and e["flag"] == "read", "the flag event")
assert flags["op"] == "add" and to_channel in flags["messages"], flags
narrow = {"anchor": to_channel, "num_before": 0, "num_after": 0, "narrow": []}
fetched = ok(client.get_messages(narrow), "fetch after reading")
assert "read" in fetched["messages"][0]["flags"], fetched

ok(client.add_reaction({"message_id": to_channel, "emoji_name": "octopus"}), "react")
until(lambda e: e["type"] == "reaction" and e["op"] == "add" and e["emoji_code"] == "1f419", "the reaction")
ok(client.remove_reaction({"message_id": to_channel, "emoji_name": "octopus"}), "take the reaction back")
until(lambda e: e["type"] == "reaction" and e["op"] == "remove", "the reaction's end")
change = {"message_id": to_channel, "content": "Hello *again*", "topic": "farewells", "propagate_mode": "change_all"}
ok(client.update_message(change), "edit")
edited = until(lambda e: e["type"] == "update_message" and e["message_id"] == to_channel, "the edit")
was = (edited["subject"], edited["orig_subject"], edited["content"])
assert was == ("farewells", "greetings", "Hello *again*"), edited
history = ok(client.get_message_history(to_channel), "history")["message_history"]
assert [h["content"] for h in history] == ["Hello **channel** :smile:", "Hello *again*"], history
found = ok(client.get_messages({**newest, "narrow": [["search", "again"]]}), "search")["messages"]
assert [m["id"] for m in found] == [to_channel] and "highlight" in found[0]["match_content"], found
ok(client.delete_message(to_channel), "delete")
until(lambda e: e["type"] == "delete_message" and e["message_id"] == to_channel, "the deletion")

# A file is uploaded and sent to another user, who downloads it. Before that, it does not exist for that user.
reader = log_in("other@example.com")
with tempfile.NamedTemporaryFile(suffix=".bin") as f:
    f.write(bytes(range(256)) * 4096)
    f.flush()
    f.seek(0)
    uri = ok(client.upload_file(f), "upload")["uri"]


def download(path):
    return requests.get(site + path, auth=("other@example.com", reader["api_key"]), timeout=10)


hidden, missing = download(uri), download(uri + "x")
assert hidden.status_code == missing.status_code == 404, hidden.status_code
assert hidden.content == missing.content, hidden.content
ok(client.send_message({"type": "private", "to": [other], "content": f"[file]({uri})"}), "send a file")
assert download(uri).content == bytes(range(256)) * 4096
assert len(ok(client.get_attachments(), "attachments")["attachments"]) > 0

ok(client.deregister(queue["queue_id"]), "deregister")
assert client.get_events(queue_id=queue["queue_id"], last_event_id=last)["code"] == "BAD_EVENT_QUEUE_ID"
print("zulip (Python): passed")
