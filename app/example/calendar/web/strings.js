/**
 * This module's texts by language. Texts that a language lacks are shown in English. Those that begin with "settings."
 * translate the settings that the module birthdays declares in English.
 */
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
    "settings.can_set_birthday_group": "Wer einen Geburtstag eintragen darf",
    "settings.can_set_birthday_group.doc":
      "Schon eingetragene Geburtstage bleiben.",
    "settings.show_birthday": "Meinen Geburtstag zeigen",
    "settings.show_birthday.doc": "Sonst siehst nur du ihn.",
    "settings.celebrates_birthdays": "Geburtstage feiern",
    "settings.celebrates_birthdays.doc":
      "Der Server schreibt am Geburtstag eines Abonnenten eine Nachricht.",
  },
};
