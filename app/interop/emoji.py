"""Compares the emoji of the terminal client's package with the server's.

The server must accept every name and code for the same emoji. Prints how many names are unknown and how many codes have
a different canonical name. Both must be 0.
"""

import os
import sys

import requests
from zulipterminal.unicode_emojis import EMOJI_DATA

site = os.environ["INTEROP_SITE"]
login = {"username": os.environ["INTEROP_EMAIL"], "password": os.environ["INTEROP_PASSWORD"]}
session = requests.Session()


def call(method, path, **params):
    return session.request(method, f"{site}/api/v1/{path}", data=params, timeout=10).json()


key = call("POST", "fetch_api_key", **login)
session.auth = (key["email"], key["api_key"])
session.headers["User-Agent"] = "ZulipTerminal interop"

unknown, differing = [], []
data_url = call("POST", "register", event_types="[]", fetch_event_types='["realm"]')["server_emoji_data_url"]
canonical = {code: names[0] for code, names in session.get(data_url, timeout=10).json()["code_to_names"].items()}
emoji = sorted(EMOJI_DATA.items())
for start in range(0, len(emoji), 10):  # the limit of different emoji that one user can add to a message
    part = emoji[start : start + 10]
    message = call("POST", "messages", type="direct", to=f'[{key["user_id"]}]', content=f"Emoji from {start}")["id"]
    for name, data in part:
        for each in [name, *data["aliases"]]:
            if each != name and each in EMOJI_DATA:
                continue  # in the package, too, the name stands for the other emoji
            reaction = {"emoji_name": each, "emoji_code": data["code"], "reaction_type": "unicode_emoji"}
            answer = call("POST", f"messages/{message}/reactions", **reaction)
            if answer["result"] != "success" and answer["code"] != "REACTION_ALREADY_EXISTS":
                unknown.append(each)
    differing += [name for name, data in part if canonical.get(data["code"]) != name]

names = sum(1 + len(data["aliases"]) for _, data in emoji)
print(f"emoji of zulip-terminal: {names} names, {len(unknown)} unknown, {len(differing)} differing")
if unknown or differing:
    sys.exit(f"unknown: {unknown[:20]}, differing: {differing[:20]}")
