/** This module's texts by language. Texts that a language lacks are shown in English. */
export const strings = {
  en: {
    birthdays: "Birthdays",
    none: "Nobody has entered a birthday yet.",
    on: "{name}: {day}",
    find: "Find",
    mine: "My birthday",
    day: "Day",
    save: "Save",
    saved: "Your birthday was saved.",
    congratulate: "Congratulate",
    congratulated: "You have congratulated {name}.",
  },
  de: {
    birthdays: "Geburtstage",
    none: "Noch niemand hat seinen Geburtstag angegeben.",
    on: "{name}: {day}",
    find: "Suchen",
    mine: "Mein Geburtstag",
    day: "Tag",
    save: "Speichern",
    saved: "Dein Geburtstag wurde gespeichert.",
    congratulate: "Gratulieren",
    congratulated: "Du hast {name} gratuliert.",
  },
};
