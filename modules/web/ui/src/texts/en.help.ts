/** help is the client's guide: a few paragraphs per area, in display order. */
export const help = {
  start: {
    title: 'Getting around',
    inbox:
      'The inbox lists every conversation with unread messages. Choose one to continue reading where you left off.',
    sidebar:
      'The sidebar contains your views, direct conversations and channels. On a phone, swipe in reading direction to open it, and back to close it.',
    jump: 'Press Ctrl and K, or choose “Jump to a conversation”, to go to any channel, person or view by typing part of its name.',
    address:
      'Every view has its own address. You can bookmark it or send it to others, who see only what they have access to.',
    organizations:
      '“Your organizations” in the menu lists the organizations of this server in which you have an account, and leads to others.',
  },
  messages: {
    title: 'Messages',
    actions:
      'Point at a message to react to it, quote it or star it. The menu next to these buttons contains all other actions. On a phone, press and hold the message.',
    edit: 'You can edit and delete your own messages for as long as your organization allows. Others can see earlier versions if your organization allows it.',
    move: 'Choose “Move messages” in the menu of a message that belongs to another topic: only this message, all later ones too, or the whole topic. “Move the topic”, in the menu of a topic, moves all of it, also to another channel.',
    unread:
      'Messages are marked as read when you see them. Choose “Mark as unread from here” to come back to them later, or “Remind me”.',
    star: 'Starred messages have their own view. Only you can see which messages you have starred.',
    pictures:
      'Click a picture to view it. In the viewer, the arrow keys show the other pictures and videos of the conversation, + and - zoom, and 0 fits the picture to the screen.',
    readers:
      'The menu of a message shows who has read it. People who do not share what they have read are not listed.',
    report:
      'Choose “Report” in the menu of a message that breaks the rules. The moderators of your organization receive the message and your reason.',
  },
  compose: {
    title: 'Writing',
    format:
      'Write **bold**, *italic* or `code`, and start lines with a hyphen for a list. “Preview” shows how it will look.',
    mention:
      'Type @ and a name to mention somebody, # and a name to link to a channel, : and a word for an emoji, and / for commands such as polls and to-do lists.',
    files: 'Paste or drop a file to attach it. An interrupted upload continues when the connection is back.',
    later: 'Choose “Send later” to schedule a message. You can change it until it is sent.',
    times:
      'Choose times and dates in your browser’s own calendar. Below it, your choice is shown in your language with the time zone. “Go to a date”, above a conversation, jumps to its first message on or after that day.',
    kept: 'Your text is saved on this device as you type, and shortly afterwards in your account. You can find it under “Drafts”.',
    snippets:
      'Save texts that you write often under “Snippets”, in the menu below the message box, and insert them from there.',
  },
  channels: {
    title: 'Channels and topics',
    topics:
      'A channel is for a group of people or a subject. Within it, every conversation has a topic, so that several can take place at the same time.',
    browse: 'Browse the channels to join one. Private channels are visible only to their members.',
    follow:
      'Follow a topic to be notified of new messages in it. Mute a topic or a channel to keep its messages out of your inbox.',
    resolve: 'Mark a topic as resolved when it is finished. It can still be read and continued.',
    views:
      'Pin the channels that you use most. With “Pin to the sidebar” you can do the same with any view or search.',
    spectators:
      'If your organization allows it, web-public channels can be read without an account. Anyone with the link can see the messages, and can log in to write.',
    create:
      'Create a channel if there is none for your subject. Everybody can find and join a public channel; to a private one, its members add others.',
    settings:
      '“Channel settings” in the menu of a channel contains its description, its members and your notifications for it.',
    leave:
      'To leave a channel, open its menu in the sidebar and choose “Leave the channel”. You can join a public channel again at any time; a private one, only if a member adds you.',
  },
  search: {
    title: 'Searching',
    words:
      'Type words into the search field to find messages that contain all of them. Use quotation marks to find an exact phrase.',
    operators:
      'Narrow a search with operators, such as channel:design, sender:Ada, has:image or is:unread. Suggestions appear while you type.',
    without: 'Put a hyphen before an operator to exclude matches, as in -sender:Ada.',
    when: 'To find a message from a certain time, open its conversation and choose “Go to a date” above it, or start at a day with the operator date:, as in date:2026-10-01.',
  },
  notifications: {
    title: 'Notifications',
    when: 'You are notified of direct messages, of mentions, and of the topics that you follow. You can change this for each channel in its settings.',
    device:
      'Every browser asks once for permission to show notifications. With “Notify me on this device”, they are shown even while Stoa is closed.',
    words: 'Alert words notify you of every message that contains them, such as the name of your project.',
    mail: 'If you have been away for a while, Stoa can email you the messages that you have missed.',
    less: 'To be notified less, choose under “Notifications” in the settings what you are notified of. Mute channels and topics in their menus.',
    pause:
      'For some quiet, choose “Pause notifications” in the menu next to your name. In the settings, quiet hours do the same every day.',
  },
  account: {
    title: 'Your account and other people',
    language:
      'To change the language, choose “Settings” in the menu next to your name, then “Display” and “Language”.',
    factor:
      'For a second factor besides your password, choose “Settings”, then “Password and API key”, and set up an authenticator app under “Second factor”. Keep the recovery codes in a safe place: with one of them you can log in without the app.',
    people:
      'Choose somebody’s name or picture to see their profile. “Mute this person” there hides their messages and their notifications from you; they do not learn of it.',
    status:
      '“Set a status” in the menu next to your name shows others a text and an emoji beside your name, for as long as you choose.',
  },
  keyboard: {
    title: 'Keyboard',
    list: 'Press ? to see all keyboard shortcuts. They work outside of text fields; press Escape to leave one.',
    move: 'j and k select the next and the previous message, r replies to it, and n opens the next topic with unread messages.',
    write: 'c starts a message. Ctrl and Enter send it, or Enter alone if you have turned this on in the settings.',
  },
  phone: {
    title: 'Phones and working offline',
    install:
      'Your browser can install Stoa as an app: choose “Add to home screen” or “Install” in its menu. Other apps can then share texts and links with it.',
    share:
      'Share a text, a link or a file from another app with Stoa, and choose the conversation. It is inserted into the message box and not sent until you send it.',
    offline:
      'Without a network, Stoa shows the last known state. Messages that you send are saved and sent as soon as there is a connection.',
    logout: 'Logging out deletes all data that Stoa has stored on the device.',
  },
  imported: {
    title: 'After the import',
    start:
      'This organization was imported. Messages have kept their authors and times, and nobody was notified of them.',
    threaded_threads:
      'Threads have become topics, named after their first message. What was written in a channel outside of \
threads is in a topic whose name begins with “imported from”, unless an owner chose another one.',
    topical_topics:
      'Channels and topics have kept their names, and links between messages lead to their copies here.',
    find: 'To find a conversation, choose its channel and then a topic, or search for words and people.',
    threaded_pins:
      'Pinned messages are listed in the topic “pinned” of their channel. Star the messages that you want \
to have at hand.',
    topical_kept: 'Your stars and your muted, followed and pinned conversations are as they were.',
    reactions:
      'Reactions are still those of the same people. Those with an emoji that does not exist here are missing.',
    files: 'Files that were in the archive open from their messages.',
    slack_files:
      'Slack’s archives contain links to files. A file that nobody added to the archive opens only in Slack.',
    private: 'Private channels have the members that they had. What was not in the archive is missing.',
    slack_read: 'Everything counts as read, since Slack’s archives do not say what you have read.',
    unread_read: 'What you had not read is still unread.',
    threaded_names:
      'What was a workspace or a team is called an organization here, and what was a thread is a topic.',
    account:
      'Your old password does not work here. Choose a new one with “Forgot your password?” or with a link \
that you were given. Then look through your notifications in the settings.',
  },
  administration: {
    title: 'Administration',
    where:
      'Everything about your organization is in one place: its settings, people, groups, channels, emoji, bots and data. You see the sections that you have access to.',
    permissions:
      'Most permissions are granted to everybody with a role, to a group, or to certain people. A setting that you cannot change states who can.',
    people:
      'Invite people by email or with a link. Deactivate an account when somebody leaves: their messages remain, and they can no longer log in.',
    accounts:
      'If the server allows it, administrators can also create an account under “People”. The generated password is shown only once: pass it on to the person.',
    bots: 'A bot posts for a program. It has its own key, which you can replace at any time, and a configuration file to download. For an incoming webhook, Stoa creates the URL for you.',
    fields:
      'Profile fields ask people for more than their name, such as their team. You choose which are required and which people fill in themselves. Under “People” you can fill them in for others.',
    changes: 'Changes take effect immediately for everybody, except in forms with a button to save them.',
    unsaved:
      'Unsaved input in a form is still there when you return to the section. The browser asks for confirmation before you leave the page.',
  },
} as const;
