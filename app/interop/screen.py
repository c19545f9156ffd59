"""Runs the unmodified terminal client in tmux.

It starts with and without unread messages, narrows, sends, and shows messages of other users as they arrive.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

import requests

site, password = os.environ["INTEROP_SITE"], os.environ["INTEROP_PASSWORD"]
program = os.path.join(os.path.dirname(sys.executable), "zulip-term")
work = tempfile.mkdtemp(prefix="stoa-screen.")
tmux = ["tmux", "-S", ""]  # a separate tmux server; start sets its socket


class Person:
    def __init__(self, email):
        data = {"username": email, "password": password}
        self.key = requests.post(f"{site}/api/v1/fetch_api_key", data=data, timeout=10).json()

    def call(self, method, path, **params):
        auth = (self.key["email"], self.key["api_key"])
        answer = requests.request(method, f"{site}/api/v1/{path}", data=params, auth=auth, timeout=10).json()
        assert answer["result"] == "success", f"{method} {path}: {answer}"
        return answer


me, other = Person(os.environ["INTEROP_EMAIL"]), Person("other@example.com")
for person in (me, other):
    person.call("POST", "users/me/subscriptions", subscriptions='[{"name":"screen"},{"name":"elsewhere"}]')


def say(content, channel="screen"):
    other.call("POST", "messages", type="stream", to=channel, topic="greetings", content=content)


def pane():
    return subprocess.run([*tmux, "capture-pane", "-p"], capture_output=True, text=True, check=False).stdout


def press(*keys):
    subprocess.run([*tmux, "send-keys", *keys], check=True)


def until(condition, what):
    end = time.time() + 30
    while not condition():
        if time.time() > end:
            raise AssertionError(f"waited for {what} in vain; the screen shows\n{pane()}")
        time.sleep(0.1)


def shows(text):
    until(lambda: text in pane(), repr(text))


def start():
    # The previous server may still be exiting, so its socket cannot be used again.
    tmux[2] = os.path.join(tempfile.mkdtemp(dir=work), "tmux")
    session = ["new-session", "-d", "-c", work, "-x", "160", "-y", "50"]
    command = f"{program} -c {config}; echo ENDED $?; sleep 600"
    subprocess.run([*tmux, "-f", "/dev/null", *session, command], check=True)


def stop():
    press("C-c")
    shows("ENDED")
    subprocess.run([*tmux, "kill-server"], check=False)


config = os.path.join(work, "zuliprc")
with open(os.path.join(work, "zuliprc"), "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
    f.write(f"[api]\nemail={me.key['email']}\nkey={me.key['api_key']}\nsite={site}\n")
    f.write("[zterm]\nautohide=no_autohide\nnotify=disabled\n")

try:
    me.call("POST", "mark_all_as_read")
    say("Hello screen")
    say("Hello elsewhere", "elsewhere")
    start()  # with unread messages
    shows("Hello screen")
    shows("Hello elsewhere")
    stop()

    me.call("POST", "mark_all_as_read")
    start()  # with nothing unread
    shows("Hello elsewhere")
    assert "ENDED" not in pane(), pane()

    press("q")  # find the channel in the list and narrow to it
    time.sleep(0.5)
    press("-l", "screen")
    time.sleep(0.5)
    press("Enter")
    time.sleep(0.5)
    press("Enter")
    until(lambda: "Hello screen" in pane() and "Hello elsewhere" not in pane(), "the narrow")

    say("Said live")
    shows("Said live")

    press("r")  # reply in the narrow
    time.sleep(0.5)
    press("-l", "Sent from the screen")
    press("C-d")

    def arrived():
        found = other.call("GET", "messages?anchor=newest&num_before=5&num_after=0&apply_markdown=false")["messages"]
        return any(m["content"] == "Sent from the screen" and m["display_recipient"] == "screen" for m in found)

    until(arrived, "what was sent from the screen")
    shows("Sent from the screen")
    stop()
finally:
    subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)
    shutil.rmtree(work, ignore_errors=True)
print("zulip-terminal on a screen: passed")
