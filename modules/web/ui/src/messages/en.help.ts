/** help is the guide in the client: for each area a few paragraphs, in the order in which they are shown. */
export const help = {
  start: {
    title: 'Getting around',
    inbox:
      'The inbox lists every conversation with something you have not read. Choose one to begin reading where you stopped.',
    sidebar:
      'The list at the side holds your views, your direct conversations and your channels. On a phone, swipe towards the end of a line to open it, and back to close it.',
    jump: 'Press Ctrl and K, or choose “Jump to a conversation”, to reach any channel, person or view by typing a part of its name.',
    address:
      'Every view has an address of its own. You can keep it as a bookmark, and send it to others, who see what they have access to.',
  },
  messages: {
    title: 'Messages',
    actions:
      'Point at a message to react to it, quote it or star it. The menu beside these has everything else. On a phone, rest your finger on the message.',
    edit: 'You can edit and delete your own messages for as long as your organization allows. Others can see the earlier versions if your organization keeps them.',
    move: 'Move a message if it belongs to another topic. You choose whether only this one moves, all later ones, or the whole topic.',
    unread:
      'What you see counts as read. Choose “Mark as unread from here” to come back to something later, or have yourself reminded of it.',
    star: 'Starred messages are in a view of their own. Only you can see what you have starred.',
  },
  compose: {
    title: 'Writing',
    format:
      'Write **bold**, *italic* or `code`, and begin lines with a hyphen for a list. The eye below the text shows how it will look.',
    mention:
      'Type @ and a name to mention somebody, # and a name to link to a channel, : and a word for an emoji, and / for commands such as polls and to-do lists.',
    files: 'Paste or drop a file to attach it. An upload that is interrupted goes on when the connection is back.',
    later: 'Choose “Send later” to have a message sent at another time. Until then you can change it.',
    times:
      'Times and days are chosen in your browser’s own calendar. Below it you see the choice in your language, with the time zone. “Go to a date”, above a conversation, leads to its first message from that day on.',
    kept: 'What you write is kept on this device after every key, and with your account soon after. You find it under “Drafts”.',
  },
  channels: {
    title: 'Channels and topics',
    topics:
      'A channel is for a group of people or a subject. Within it, every conversation has a topic, so that several can go on at the same time.',
    browse: 'Browse the channels to join one. Private channels are shown only to those who are in them.',
    follow:
      'Follow a topic to be notified of what is new in it. Mute a topic or a channel to keep what is new there out of your inbox.',
    resolve: 'Mark a topic as resolved when the matter is settled. It can still be read and continued.',
    views:
      'Pin the channels that you use most. With “Keep in the sidebar” you can do the same with any view or search.',
    spectators:
      'If your organization allows it, web-public channels can be read without an account. Anyone with the link sees the messages and can log in from there to write.',
  },
  search: {
    title: 'Searching',
    words:
      'Type words into the search field to find messages that contain all of them. Put words that belong together in quotation marks.',
    operators:
      'Narrow a search with operators, such as channel:design, sender:Ada, has:image or is:unread. Suggestions appear while you type.',
    without: 'Put a hyphen before an operator to leave something out, as in -sender:Ada.',
  },
  notifications: {
    title: 'Notifications',
    when: 'You are notified of direct messages, of mentions, and of the topics that you follow. In the settings you can choose this for every channel.',
    device:
      'Every browser asks once whether it may show notifications. “Notify me on this device” does so while Stoa is closed, too.',
    words: 'Alert words notify you of every message that contains them, such as the name of your project.',
    mail: 'If you have been away for a while, what you have missed can come by email.',
  },
  keyboard: {
    title: 'Keyboard',
    list: 'Press ? to see all keys. They work while you are not writing; Escape leaves a text field.',
    move: 'j and k select the next and the previous message, r replies to it, and n leads to the next topic with something unread.',
    write: 'c begins a message. Ctrl and Enter send it, or Enter alone if you choose so in the settings.',
  },
  phone: {
    title: 'Phones and working offline',
    install:
      'Your browser can install Stoa as an app: choose “Add to home screen” or “Install” in its menu. Other apps can then share texts and links with it.',
    share:
      'Share a text, a link or a file from another app with Stoa, and choose the conversation. It is in the message box there, and nothing is sent until you send it.',
    offline:
      'Without a network, Stoa opens with what it knew last. What you send then is kept, and leaves as soon as there is a connection.',
    logout: 'Logging out removes everything that is kept on the device.',
  },
  administration: {
    title: 'Administration',
    where:
      'Everything about your organization is in one place: its settings, people, groups, channels, emoji, bots and data. You see the sections that you may look at.',
    permissions:
      'Most permissions are given to a group: everybody with a role, a group of your own, or certain people. A setting that you may not change says who may.',
    people:
      'Invite people by email or with a link. Deactivate an account when somebody leaves: what they have written remains, and they can no longer log in.',
    accounts:
      'If the server allows it, administrators can also create an account under “People”. The proposed password is shown only once: pass it on to the person.',
    bots: 'A bot posts for a program. It has a key of its own, which you can replace at any time, and a configuration file to download. For an incoming webhook, the address is composed for you.',
    fields:
      'Profile fields ask people for more than their name, such as their team. You choose which are required and which people fill in themselves. Under “People” you can fill them in for others.',
    changes: 'Every change takes effect at once and for everybody, except in a form with a button to save it.',
    unsaved:
      'What you type into a form and do not save is still there when you come back to the section. The browser asks before you leave the page.',
  },
} as const;
