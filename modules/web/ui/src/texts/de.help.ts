import type { HelpCatalogue } from './help.ts';

export const de: HelpCatalogue = {
  start: {
    title: 'Zurechtfinden',
    inbox:
      'Der Eingang zeigt alle Unterhaltungen, in denen es für dich Ungelesenes gibt. Wähle eine, um dort weiterzulesen, wo du aufgehört hast.',
    sidebar:
      'In der Liste an der Seite stehen deine Ansichten, deine Direktunterhaltungen und deine Kanäle. Auf dem Telefon öffnest du sie, indem du zum Ende der Zeile wischst, und schließt sie, indem du zurückwischst.',
    jump: 'Drücke Ctrl und K oder wähle „Zu einer Unterhaltung springen“, um jeden Kanal, jede Person und jede Ansicht über einen Teil des Namens zu erreichen.',
    address:
      'Jede Ansicht hat ihre eigene Adresse. Du kannst sie als Lesezeichen speichern und anderen schicken. Diese sehen, worauf sie Zugriff haben.',
    organizations:
      '„Deine Organisationen“ im Menü zeigt die Organisationen dieses Servers, in denen du ein Konto hast, und führt zu anderen.',
  },
  messages: {
    title: 'Nachrichten',
    actions:
      'Zeige auf eine Nachricht, um auf sie zu reagieren, sie zu zitieren oder zu markieren. Alles Weitere steht im Menü daneben. Auf dem Telefon hältst du die Nachricht gedrückt.',
    edit: 'Eigene Nachrichten kannst du bearbeiten und löschen, solange deine Organisation es erlaubt. Andere sehen die früheren Fassungen, wenn deine Organisation sie aufbewahrt.',
    move: 'Wähle „Nachrichten verschieben“ im Menü einer Nachricht, die zu einem anderen Thema gehört: nur sie, auch alle späteren oder das ganze Thema. „Thema verschieben“ im Menü eines Themas verschiebt alles darin, auch in einen anderen Kanal.',
    unread:
      'Was du siehst, gilt als gelesen. Wähle „Ab hier als ungelesen markieren“, um später darauf zurückzukommen, oder lass dich daran erinnern.',
    star: 'Markierte Nachrichten haben eine eigene Ansicht. Nur du siehst, was du markiert hast.',
    pictures:
      'Klicke auf ein Bild, um es anzusehen. Dort zeigen die Pfeiltasten die anderen Bilder und Videos der Unterhaltung, + und - vergrößern und verkleinern, und 0 passt das Bild an den Bildschirm an.',
    readers:
      'Das Menü einer Nachricht zeigt, wer sie gelesen hat. Wer nicht teilt, was er gelesen hat, steht nicht in der Liste.',
    report:
      'Wähle „Melden“ im Menü einer Nachricht, die gegen die Regeln verstößt. Die Moderation deiner Organisation erhält die Nachricht und deinen Grund.',
  },
  compose: {
    title: 'Schreiben',
    format:
      'Schreibe **fett**, *kursiv* oder `Code`, und beginne Zeilen für eine Liste mit einem Bindestrich. Das Auge unter dem Text zeigt, wie es aussehen wird.',
    mention:
      'Gib @ und einen Namen ein, um jemanden zu erwähnen, # und einen Namen, um auf einen Kanal zu verweisen, : und ein Wort für ein Emoji und / für Befehle wie Umfragen und Aufgabenlisten.',
    files:
      'Füge eine Datei ein oder ziehe sie hinein, um sie anzuhängen. Ein unterbrochener Upload geht weiter, sobald die Verbindung wieder da ist.',
    later:
      'Wähle „Später senden“, um eine Nachricht zu einer anderen Zeit zu senden. Bis dahin kannst du sie ändern.',
    times:
      'Zeiten und Tage wählst du im Kalender deines Browsers. Darunter steht die Auswahl in deiner Sprache, mit der Zeitzone. „Zu einem Datum gehen“ über einer Unterhaltung führt zur ersten Nachricht von diesem Tag an.',
    kept: 'Was du schreibst, wird bei jedem Tastendruck auf diesem Gerät gespeichert und kurz danach in deinem Konto. Du findest es unter „Entwürfe“.',
    snippets:
      'Speichere Texte, die du oft schreibst, unter „Textbausteine“ im Menü unter dem Nachrichtenfeld, und füge sie von dort ein.',
  },
  channels: {
    title: 'Kanäle und Themen',
    topics:
      'Ein Kanal ist für eine Gruppe von Personen oder ein Gebiet da. Darin hat jede Unterhaltung ein Thema, sodass mehrere gleichzeitig laufen können.',
    browse:
      'Durchsuche die Kanäle, um einem beizutreten. Private Kanäle sehen nur diejenigen, die in ihnen Mitglied sind.',
    follow:
      'Folge einem Thema, um über Neues darin benachrichtigt zu werden. Schalte ein Thema oder einen Kanal stumm, damit Neues daraus nicht im Eingang erscheint.',
    resolve:
      'Markiere ein Thema als erledigt, wenn die Sache geklärt ist. Es kann weiterhin gelesen und fortgesetzt werden.',
    views:
      'Hefte die Kanäle an, die du am meisten benutzt. Mit „In der Seitenleiste behalten“ geht das auch mit jeder Ansicht oder Suche.',
    spectators:
      'Wenn deine Organisation es erlaubt, sind im Web öffentliche Kanäle auch ohne Konto lesbar. Wer den Link hat, sieht die Nachrichten und kann sich von dort aus anmelden, um zu schreiben.',
    create:
      'Erstelle einen Kanal, wenn es für dein Gebiet keinen gibt. Einen öffentlichen Kanal können alle finden und ihm beitreten; zu einem privaten fügen seine Mitglieder andere hinzu.',
    settings:
      '„Kanaleinstellungen“ im Menü eines Kanals enthält seine Beschreibung, seine Mitglieder und deine Benachrichtigungen für ihn.',
    leave:
      'Um einen Kanal zu verlassen, öffne sein Menü in der Seitenleiste und wähle „Kanal verlassen“. Einem öffentlichen Kanal kannst du jederzeit wieder beitreten, einem privaten nur, wenn dich ein Mitglied hinzufügt.',
  },
  search: {
    title: 'Suchen',
    words:
      'Gib Wörter in das Suchfeld ein, um Nachrichten zu finden, die alle davon enthalten. Setze zusammengehörende Wörter in Anführungszeichen.',
    operators:
      'Grenze eine Suche mit Operatoren ein, etwa channel:design, sender:Ada, has:image oder is:unread. Vorschläge erscheinen beim Tippen.',
    without: 'Setze einen Bindestrich vor einen Operator, um etwas auszuschließen, etwa -sender:Ada.',
    when: 'Um eine Nachricht aus einer bestimmten Zeit zu finden, öffne die Unterhaltung und wähle darüber „Zu einem Datum gehen“, oder beginne mit dem Operator date: bei einem Tag, etwa date:2026-10-01.',
  },
  notifications: {
    title: 'Benachrichtigungen',
    when: 'Du wirst über Direktnachrichten, Erwähnungen und die Themen benachrichtigt, denen du folgst. In den Einstellungen kannst du das für jeden Kanal wählen.',
    device:
      'Jeder Browser fragt einmal, ob er Benachrichtigungen zeigen darf. „Auf diesem Gerät benachrichtigen“ wirkt auch, wenn Stoa geschlossen ist.',
    words:
      'Schlüsselwörter, etwa der Name deines Projekts, benachrichtigen dich über jede Nachricht, in der sie vorkommen.',
    mail: 'Warst du eine Weile weg, kannst du per E-Mail erhalten, was du verpasst hast.',
    less: 'Um weniger benachrichtigt zu werden, wähle in den Einstellungen unter „Benachrichtigungen“, worüber du benachrichtigt wirst. Kanäle und Themen schaltest du in ihren Menüs stumm.',
    pause:
      'Für etwas Ruhe wählst du „Benachrichtigungen pausieren“ im Menü neben deinem Namen. In den Einstellungen bewirken Ruhezeiten dasselbe jeden Tag.',
  },
  account: {
    title: 'Dein Konto und andere Personen',
    language:
      'Um die Sprache zu ändern, wähle „Einstellungen“ im Menü neben deinem Namen, dann „Anzeige“ und „Sprache“.',
    factor:
      'Für einen zweiten Faktor neben deinem Passwort wähle „Einstellungen“, dann „Passwort und API-Schlüssel“, und richte unter „Zweiter Faktor“ eine Authenticator-App ein. Bewahre die Wiederherstellungscodes sicher auf: Mit einem von ihnen meldest du dich auch ohne die App an.',
    people:
      'Wähle den Namen oder das Bild einer Person, um ihr Profil zu sehen. „Diese Person stummschalten“ verbirgt dort ihre Nachrichten und Benachrichtigungen vor dir; sie erfährt nichts davon.',
    status:
      '„Status setzen“ im Menü neben deinem Namen zeigt anderen einen Text und ein Emoji neben deinem Namen, so lange du willst.',
  },
  keyboard: {
    title: 'Tastatur',
    list: 'Drücke ?, um alle Tasten zu sehen. Sie wirken, solange du nicht schreibst; Escape verlässt ein Textfeld.',
    move: 'j und k wählen die nächste und die vorherige Nachricht aus, r antwortet auf sie, und n führt zum nächsten Thema mit Ungelesenem.',
    write:
      'c beginnt eine Nachricht. Ctrl und Enter senden sie, oder Enter allein, wenn du das in den Einstellungen wählst.',
  },
  phone: {
    title: 'Telefone und offline arbeiten',
    install:
      'Dein Browser kann Stoa als App installieren: Wähle in seinem Menü „Zum Startbildschirm hinzufügen“ oder „Installieren“. Andere Apps können dann Texte und Links mit Stoa teilen.',
    share:
      'Teile einen Text, einen Link oder eine Datei aus einer anderen App mit Stoa und wähle die Unterhaltung. Alles steht dort im Nachrichtenfeld, und nichts wird gesendet, bevor du es sendest.',
    offline:
      'Ohne Netz öffnet sich Stoa mit dem letzten bekannten Stand. Was du dann sendest, bleibt erhalten und geht hinaus, sobald es eine Verbindung gibt.',
    logout: 'Beim Abmelden wird alles entfernt, was auf dem Gerät gespeichert ist.',
  },
  imported: {
    title: 'Nach dem Import',
    start:
      'Diese Organisation wurde importiert. Nachrichten haben ihre Verfasser und Zeiten behalten, und niemand \
wurde über sie benachrichtigt.',
    threaded_threads:
      'Threads sind Themen geworden, benannt nach ihrer ersten Nachricht. Was in einem Kanal außerhalb von \
Threads geschrieben wurde, steht in einem Thema, dessen Name mit „imported from“ beginnt, wenn kein \
Eigentümer einen anderen gewählt hat.',
    topical_topics:
      'Kanäle und Themen haben ihre Namen behalten, und Links zwischen Nachrichten führen zu ihren Kopien hier.',
    find: 'Um eine Unterhaltung zu finden, wähle ihren Kanal und dann ein Thema, oder suche nach Wörtern und Leuten.',
    threaded_pins:
      'Angeheftete Nachrichten sind im Thema „pinned“ ihres Kanals aufgelistet. Markiere die Nachrichten, \
die du zur Hand haben möchtest.',
    topical_kept:
      'Deine Markierungen und deine stummgeschalteten, verfolgten und angehefteten Unterhaltungen sind, wie sie waren.',
    reactions:
      'Reaktionen stammen noch von denselben Leuten. Solche mit einem Emoji, das es hier nicht gibt, fehlen.',
    files: 'Dateien, die im Archiv waren, öffnest du bei ihren Nachrichten.',
    slack_files:
      'Archive von Slack enthalten Links zu Dateien. Eine Datei, die niemand dem Archiv hinzugefügt hat, ist \
nur bei Slack zu öffnen.',
    private: 'Private Kanäle haben dieselben Mitglieder wie zuvor. Was nicht im Archiv war, fehlt.',
    slack_read: 'Alles gilt als gelesen, denn Archive von Slack sagen nicht, was du gelesen hast.',
    unread_read: 'Was du nicht gelesen hattest, ist noch ungelesen.',
    threaded_names:
      'Was ein Workspace oder Team war, heißt hier Organisation, und was ein Thread war, ist ein Thema.',
    account:
      'Dein altes Passwort gilt hier nicht. Wähle ein neues über „Passwort vergessen?“ oder mit einem \
Link, den du bekommen hast. Sieh dann in den Einstellungen deine Benachrichtigungen durch.',
  },
  administration: {
    title: 'Verwaltung',
    where:
      'Alles zu deiner Organisation ist an einem Ort: Einstellungen, Personen, Gruppen, Kanäle, Emoji, Bots und Daten. Du siehst die Abschnitte, die du ansehen darfst.',
    permissions:
      'Die meisten Berechtigungen gehen an eine Gruppe: alle mit einer Rolle, eine eigene Gruppe oder bestimmte Personen. Eine Einstellung, die du nicht ändern darfst, nennt, wer es darf.',
    people:
      'Lade Personen per E-Mail oder mit einem Link ein. Deaktiviere ein Konto, wenn jemand geht: Das Geschriebene bleibt, aber Anmelden ist nicht mehr möglich.',
    accounts:
      'Wenn der Server es erlaubt, können Administratoren unter „Personen“ auch ein Konto anlegen. Das vorgeschlagene Passwort wird nur einmal gezeigt: Gib es der Person weiter.',
    bots: 'Ein Bot schreibt für ein Programm. Er hat einen eigenen Schlüssel, den du jederzeit ersetzen kannst, und eine Konfigurationsdatei zum Herunterladen. Die Adresse eines eingehenden Webhooks wird für dich zusammengestellt.',
    fields:
      'Profilfelder fragen nach mehr als dem Namen, etwa nach dem Team. Du wählst, welche nötig sind und welche die Personen selbst ausfüllen. Unter „Personen“ kannst du sie für andere ausfüllen.',
    changes: 'Jede Änderung gilt sofort und für alle, außer in einem Formular mit einer Schaltfläche zum Speichern.',
    unsaved:
      'Was du in ein Formular eingibst und nicht speicherst, ist noch da, wenn du zu dem Abschnitt zurückkommst. Der Browser fragt nach, bevor du die Seite verlässt.',
  },
};
