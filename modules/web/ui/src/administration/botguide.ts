// What the page of a bot shows to those who write a program for it. modules/bots/README.md contains the same.

/** program answers those who mention the bot. */
export const program = `import zulip

client = zulip.Client(config_file="zuliprc")
me = client.get_profile()


def answer(message):
    if message["sender_id"] != me["user_id"] and f"@**{me['full_name']}**" in message["content"]:
        to = {"type": "stream", "to": message["stream_id"], "topic": message["subject"]}
        client.send_message({**to, "content": f"Hello, {message['sender_full_name']}!"})


client.call_on_each_message(answer)
`;

/** quoted returns a text as a word of a shell. */
const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** sending returns a command that sends a message as a bot. */
export const sending = (site: string, email: string, key: string): string =>
  `curl ${site}/api/v1/messages -u ${quoted(`${email}:${key}`)} \\
  -d type=stream -d to=general -d topic=greetings --data-urlencode content="Hello from a shell"
`;

/** posting returns a command that posts to the URL of an incoming webhook, in the format of Slack. */
export const posting = (site: string, key: string): string =>
  `curl -H 'Content-Type: application/json' -d '{"text": "All is built"}' \\
  ${quoted(`${site}/api/v1/external/slack_incoming?api_key=${key}`)}
`;

/** payload is what an outgoing webhook receives. */
export const payload = (email: string, name: string): string =>
  `${JSON.stringify(
    {
      bot_email: email,
      bot_full_name: name,
      data: `@**${name}** Paris?`,
      trigger: 'mention',
      token: '…',
      message: { id: 4711, sender_full_name: 'Ada', content: `@**${name}** Paris?` },
    },
    null,
    2,
  )}\n`;

/** reply is what an outgoing webhook answers. */
export const reply = `{ "content": "**Paris**: 21 °C, sunny" }
`;
