// @ts-check
import { element } from "./element.js";
import { slots } from "./slots.js";
import { strings } from "./strings.js";

/**
 * The client calls this once, with its API for modules.
 * @param {import("../../../../modules/web/ui/src/modules/stoa.d.ts").Stoa} stoa
 */
export default function calendar(stoa) {
  const { t } = stoa;
  let count = 0;
  stoa.strings(strings);
  slots(stoa);

  stoa.sidebar({
    id: "birthdays",
    label: () => t("birthdays"),
    page: "all",
    count: () => count,
  });

  stoa.page({
    id: "all",
    title: () => t("birthdays"),
    async mount(root, path) {
      if (path === "broken")
        throw new Error("This page shows what happens to a page that throws.");
      const { birthdays } = await stoa.call("GET", "/birthdays");
      count = birthdays.length;
      const format = new Intl.DateTimeFormat(stoa.language(), {
        day: "numeric",
        month: "long",
        timeZone: "UTC",
      });
      const rows = birthdays.map((b) =>
        element(
          "li",
          {},
          t("on", {
            name: stoa.nameOf(b.user_id) ?? "?",
            day: format.format(new Date(b.day)),
          }),
        ),
      );
      if (rows.length === 0) {
        root.append(element("p", {}, t("none")));
        return;
      }
      const find = element("input", { type: "search" });
      find.addEventListener("input", () => {
        const sought = find.value.toLowerCase();
        for (const row of rows) {
          row.hidden = !row.textContent.toLowerCase().includes(sought);
        }
      });
      root.append(
        element("label", {}, t("find"), find),
        element("ul", {}, ...rows),
      );
    },
  });

  stoa.settings({
    id: "mine",
    title: () => t("mine"),
    mount(root) {
      const day = element("input", { type: "date", required: true });
      const problem = element("p", { className: "problem", role: "alert" });
      const form = element(
        "form",
        {},
        element("label", {}, t("day"), day),
        element("button", {}, t("save")),
        problem,
      );
      form.addEventListener("submit", async (e) => {
        e.preventDefault();
        try {
          await stoa.call("POST", "/birthdays", { day: day.value });
          problem.textContent = "";
          stoa.toast(t("saved"));
        } catch (error) {
          problem.textContent = error.message; // the server's message
        }
      });
      root.append(form);
    },
  });

  stoa.messageAction({
    id: "congratulate",
    label: () => t("congratulate"),
    when: (m) => m.sender_id !== stoa.user().id,
    async run(m) {
      const cake = {
        emoji_name: "cake",
        emoji_code: "1f370",
        reaction_type: "unicode_emoji",
      };
      await stoa.call("POST", `/messages/${m.id}/reactions`, cake);
      stoa.toast(t("congratulated", { name: stoa.nameOf(m.sender_id) ?? "?" }));
    },
  });
}
