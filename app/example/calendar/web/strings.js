/** The texts of this module, by language. What a language lacks is shown in English. */
export const strings = {
  en: {
    birthdays: "Birthdays",
    none: "Nobody has told their birthday yet.",
    on: "{name}: {day}",
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
    mine: "Mein Geburtstag",
    day: "Tag",
    save: "Speichern",
    saved: "Dein Geburtstag wurde gespeichert.",
    congratulate: "Gratulieren",
    congratulated: "Du hast {name} gratuliert.",
  },
};
