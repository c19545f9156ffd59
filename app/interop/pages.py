"""Runs the programs on the pages /api/docs: the examples of all operations, and the bots of the guides."""

import concurrent.futures
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import requests

site = os.environ["INTEROP_SITE"]
email = os.environ["INTEROP_EMAIL"]

# Operations that are not run: they end what the others need, or wait for an event.
UNUSED = {
    "deactivateRealm": "ends the organization",
    "deactivateOwnUser": "ends the account of the examples",
    "regenerateOwnApiKey": "ends the key of the examples",
    "deactivateUser": "ends an account",
    "deactivateBot": "ends an account",
    "getEvents": "waits; the bots of the guides call it",
}

# Examples with parameters that were chosen for them, which must succeed as they are.
CHOSEN = {"sendMessage", "getMessages", "registerQueue", "getUsers", "createDraft"}

COMMANDS = {
    "bash": ["bash", "-c"],
    "python": [sys.executable, "-c"],
    "javascript": ["node", "--input-type=module", "-e"],
}
missing = [tool for tool in ("bash", "curl", "node", "go") if not shutil.which(tool)]
assert not missing, f"install {', '.join(missing)}: the programs on the pages need them"


def log_in(username):
    data = {"username": username, "password": os.environ["INTEROP_PASSWORD"]}
    return requests.post(f"{site}/api/v1/fetch_api_key", data=data, timeout=10).json()["api_key"]


def call(method, path, key=None, **parameters):
    form = {k: v if isinstance(v, str) else json.dumps(v) for k, v in parameters.items()}
    where = {"params": form} if method in ("GET", "DELETE") else {"data": form}
    answer = requests.request(method, f"{site}/api/v1{path}", auth=(email, key or owner), timeout=30, **where).json()
    assert answer["result"] == "success", f"{method} {path}: {answer}"
    return answer


owner = log_in(email)
document = requests.get(f"{site}/api/v1/openapi.json", timeout=10).json()
operations = {o["operationId"]: o for p in document["paths"].values() for o in p.values() if "operationId" in o}
folder = tempfile.mkdtemp()
with open(os.path.join(folder, "hello.txt"), "w", encoding="utf-8") as file:
    file.write("Hello")


def programs(page):
    """Returns the programs on a page with their languages."""
    text = requests.get(f"{site}/api/docs/{page}", timeout=10).text
    found = re.findall(r'<pre[^>]*data-language="([^"]*)"[^>]*><code>(.*?)</code></pre>', text, re.S)
    return [(language, html.unescape(code)) for language, code in found]


def run(operation, language, code):
    """Runs an example. Returns what is wrong with it."""
    code = code.replace("bot@example.com:API_KEY", f"{email}:{owner}")
    code = code.replace("bot@example.com", email).replace("API_KEY", owner)
    done = subprocess.run(COMMANDS[language] + [code], cwd=folder, capture_output=True, text=True, timeout=60)
    what = f"{operation} in {language}"
    if done.returncode:
        return f"{what} failed: {done.stderr[-500:]}\n{code}"
    success = operations[operation]["responses"].get("200", {})
    if "application/json" not in success.get("content", {}):
        return ""  # a file, a redirect, or headers
    if "'error'" not in done.stdout and '"error"' not in done.stdout:
        return ""
    codes = [error["code"] for error in operations[operation].get("x-errors", [])]
    if operation in CHOSEN or not any(code in done.stdout for code in codes) or "INTERNAL_SERVER" in done.stdout:
        return f"{what}: {done.stdout[-500:]}\n{code}"
    return ""


def start(language, code, key):
    """Starts the program of a guide."""
    code = code.replace("bot@example.com", bot["email"]).replace("API_KEY", key)
    if language != "go":
        return subprocess.Popen(COMMANDS[language] + [code])
    with open(os.path.join(folder, "main.go"), "w", encoding="utf-8") as source:
        source.write(code)
    environment = dict(os.environ, GOFLAGS="", GOWORK="off", CGO_ENABLED="0")
    subprocess.run(["go", "build", "-o", "bot", "main.go"], cwd=folder, check=True, env=environment)
    return subprocess.Popen([os.path.join(folder, "bot")])


def newest(topic):
    narrow = [["channel", "general"], ["topic", topic]]
    return call("GET", "/messages", anchor="newest", num_before=1, num_after=0, narrow=narrow)["messages"]


call("POST", "/users/me/subscriptions", subscriptions=[{"name": "general"}])
name = "Guide bot"
made = call("POST", "/bots", full_name=name, short_name="guide", bot_type=1)
bot = {"email": made.get("email") or f"guide-bot@{site}", "id": made["user_id"]}
key = made["api_key"]
for user in call("GET", "/users")["members"]:
    if user["user_id"] == bot["id"]:
        bot["email"] = user["email"]
call("POST", "/users/me/subscriptions", subscriptions=[{"name": "general"}], principals=[bot["id"]])
for language, code in programs("guides/bot"):
    program = start(language, code, key)
    topic = f"a bot in {language}"
    try:
        deadline = time.monotonic() + 90
        answer = ""
        while "At your service" not in answer:
            assert time.monotonic() < deadline, f"the bot in {language} does not answer"
            assert program.poll() is None, f"the bot in {language} ended"
            call("POST", "/messages", type="channel", to="general", topic=topic, content=f"Hi @**{name}**!")
            time.sleep(2)
            answer = newest(topic)[0]["content"]
    finally:
        program.kill()
    print(f"guide: a bot in {language}: passed")

# The other guides: an outgoing webhook, asked as the server asks it, and an incoming one.
for language, code in programs("guides/outgoing"):
    assert language == "python-server", language
    program = subprocess.Popen([sys.executable, "-c", code.replace("8000", "38000")])
    try:
        for _ in range(100):
            try:
                answer = requests.post("http://127.0.0.1:38000", json={"data": "Hi"}, timeout=5).json()
                break
            except requests.ConnectionError:
                time.sleep(0.1)
        assert answer == {"content": "You said: Hi"}, answer
    finally:
        program.kill()
    print("guide: an outgoing webhook: passed")

made = call("POST", "/bots", full_name="Guide hook", short_name="hook", bot_type=2)
page = html.unescape(requests.get(f"{site}/api/docs/guides/incoming", timeout=10).text)
command = re.search(r"curl -sS '[^']*/external/json.*?-d '[^']*'", page, re.S).group(0)
answer = subprocess.run(
    ["bash", "-c", command.replace("api_key=KEY", f"api_key={made['api_key']}")],
    capture_output=True, text=True, check=True, timeout=60,
).stdout
assert json.loads(answer)["result"] == "success", answer
assert "It works" in newest("tests")[0]["content"]
print("guide: an incoming webhook: passed")

# The examples of operations come last, since they change what they find.
jobs = []
for name, operation in operations.items():
    if name in UNUSED or name.endswith("ResumableUpload"):
        continue
    found = programs(name)
    assert [language for language, _ in found] == ["bash", "python", "javascript"], f"{name}: {found}"
    jobs += [(name, language, code) for language, code in found]
order = sorted(jobs, key=lambda job: (job[0] not in CHOSEN, job[0]))
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    problems = [p for p in pool.map(lambda job: run(*job), order) if p]
assert not problems, "\n".join(problems)
print(f"{len(jobs)} examples: passed")
