// @ts-check
import { element } from "./element.js";

/** CAKE is part of the HTML of the emoji that /cake sends. */
const CAKE = "emoji-1f370";

/** birthdayOf returns a person's birthday as the reader's language writes it, if it is known. */
async function birthdayOf(stoa, user) {
  const { birthdays } = await stoa.call("GET", "/birthdays");
  const found = birthdays.find((b) => b.user_id === user);
  const format = new Intl.DateTimeFormat(stoa.language(), {
    day: "numeric",
    month: "long",
    timeZone: "UTC",
  });
  return found && format.format(new Date(found.day));
}

/**
 * slots adds to what the client shows: messages, people, channels, the compose box and the organization's settings.
 * @param {import("../../../../modules/web/ui/src/modules/stoa.d.ts").Stoa} stoa
 */
export function slots(stoa) {
  const { t } = stoa;
  const icon = new URL("cake.svg", import.meta.url).href;

  stoa.messageRenderer({
    id: "cake",
    when: (m) => m.content.includes(CAKE),
    render: (m) => {
      if (m.content.includes("burnt"))
        throw new Error("This message shows what happens if a renderer throws.");
      return element(
        "figure",
        { className: "cake" },
        element("slot"),
        element("figcaption", {}, t("from", { name: nameOf(m.sender_id) })),
      );
    },
  });

  stoa.composerButton({
    id: "wish",
    label: () => t("wish"),
    icon,
    run: (composer) => composer.insert(`${t("wishes")} :cake: `),
  });

  stoa.channelHeader({
    id: "all",
    label: () => t("birthdays"),
    icon,
    when: (channel) => channel.topic === undefined,
    run: () => stoa.open("all"),
  });

  stoa.userCard({
    id: "day",
    title: () => t("birthday"),
    async mount(root, person) {
      root.append((await birthdayOf(stoa, person.id)) ?? t("unknown"));
    },
  });

  stoa.command({
    id: "show",
    label: () => t("show"),
    slash: "birthdays",
    run: () => stoa.open("all"),
  });

  stoa.administration({
    id: "known",
    title: () => t("birthdays"),
    for: "members",
    async mount(root) {
      const { birthdays } = await stoa.call("GET", "/birthdays");
      root.append(element("p", {}, t("known", { count: birthdays.length })));
    },
  });

  stoa.on("birthdays", (e) => {
    if (e.op === "set" && e.user_id !== stoa.user().id)
      stoa.notify({
        title: t("entered", { name: nameOf(/** @type {number} */ (e.user_id)) }),
        page: "all",
      });
  });

  function nameOf(user) {
    return stoa.nameOf(user) ?? "?";
  }
}
