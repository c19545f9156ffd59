"""Runs the bot helloworld of the PyPI package zulip-bots and the one of modules/bots/README.md, and mentions them in a
channel that they are not subscribed to, where they must reply.
"""

import os
import subprocess
import sys
import tempfile
import time

import requests

site, password = os.environ["INTEROP_SITE"], os.environ["INTEROP_PASSWORD"]
email = os.environ["INTEROP_EMAIL"]
key = requests.post(f"{site}/api/v1/fetch_api_key", data={"username": email, "password": password}, timeout=10).json()


def call(method, path, **params):
    auth = (key["email"], key["api_key"])
    answer = requests.request(method, f"{site}/api/v1/{path}", data=params, auth=auth, timeout=10).json()
    assert answer["result"] == "success", f"{method} {path}: {answer}"
    return answer


def said():
    found = call("GET", "messages?anchor=newest&num_before=10&num_after=0&apply_markdown=false")["messages"]
    return [(m["sender_full_name"], m["display_recipient"]) for m in found if isinstance(m["display_recipient"], str)]


def run(name, program):
    """run starts the program of a new bot, and returns after the bot has replied."""
    made = call("POST", "bots", full_name=name, short_name=name.lower(), bot_type=1)
    assert made["user_id"] not in members, members
    with tempfile.TemporaryDirectory(prefix="stoa-bot.") as work:
        with open(os.path.join(work, "zuliprc"), "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
            user = call("GET", f'users/{made["user_id"]}')["user"]
            f.write(f'[api]\nemail={user["email"]}\nkey={made["api_key"]}\nsite={site}\n')
        log = open(os.path.join(work, "log"), "w+")
        bot = subprocess.Popen(program, cwd=work, stdout=log, stderr=subprocess.STDOUT)
        try:
            end = time.time() + 60
            while (name, "without bots") not in said():  # the bot misses messages sent before it listens
                log.seek(0)
                assert bot.poll() is None and time.time() < end, f"{name} did not answer: {said()}\n{log.read()}"
                hello = {"topic": "greetings", "content": f"@**{name}** hello"}
                call("POST", "messages", type="stream", to="without bots", **hello)
                time.sleep(2)
        finally:
            bot.terminate()
            bot.wait(10)


call("POST", "users/me/subscriptions", subscriptions='[{"name":"without bots"}]', invite_only="true")
channel = call("GET", "get_stream_id?stream=without%20bots")["stream_id"]
members = call("GET", f"streams/{channel}/members")["subscribers"]
runner = os.path.join(os.path.dirname(sys.executable), "zulip-run-bot")
run("Greeter", [runner, "helloworld", "--config-file", "zuliprc"])
guide = os.path.join(os.path.dirname(__file__), "../../modules/bots/README.md")
example = open(guide).read().split("```python\n", 1)[1].split("```", 1)[0]
run("Tenliner", [sys.executable, "-c", example])
print("zulip-bots (Python): passed")
