/** Task is something that people want to do, and the paragraph of the guide about it. */
export interface Task {
  to: string;
  en: string;
  ar: string;
  de: string;
  es: string;
  fr: string;
  ja: string;
  'zh-Hans': string;
}

const task = (
  to: string,
  en: string,
  ar: string,
  de: string,
  es: string,
  fr: string,
  ja: string,
  zh: string,
): Task => ({ to, en, ar, de, es, fr, ja, 'zh-Hans': zh });

/** tasks are what the page /help begins with. */
export const tasks: readonly Task[] = [
  task(
    'start-jump',
    'Go to a conversation',
    'الانتقال إلى محادثة',
    'Zu einer Unterhaltung springen',
    'Ir a una conversación',
    'Aller à une conversation',
    '会話に移動する',
    '转到某个会话',
  ),
  task(
    'messages-move',
    'Move a message or a topic',
    'نقل رسالة أو موضوع',
    'Eine Nachricht oder ein Thema verschieben',
    'Mover un mensaje o un tema',
    'Déplacer un message ou un sujet',
    'メッセージやトピックを移動する',
    '移动消息或话题',
  ),
  task(
    'messages-unread',
    'Come back to a message later',
    'العودة إلى رسالة لاحقًا',
    'Später auf eine Nachricht zurückkommen',
    'Volver a un mensaje más tarde',
    'Revenir plus tard sur un message',
    'あとでメッセージに戻る',
    '稍后再看某条消息',
  ),
  task(
    'compose-mention',
    'Mention somebody',
    'الإشارة إلى شخص',
    'Jemanden erwähnen',
    'Mencionar a alguien',
    'Mentionner quelqu’un',
    '誰かをメンションする',
    '提及某人',
  ),
  task(
    'compose-files',
    'Send a file',
    'إرسال ملف',
    'Eine Datei senden',
    'Enviar un archivo',
    'Envoyer un fichier',
    'ファイルを送る',
    '发送文件',
  ),
  task(
    'compose-later',
    'Send a message later',
    'إرسال رسالة لاحقًا',
    'Eine Nachricht später senden',
    'Enviar un mensaje más tarde',
    'Envoyer un message plus tard',
    'メッセージをあとで送る',
    '稍后发送消息',
  ),
  task(
    'channels-browse',
    'Join a channel',
    'الانضمام إلى قناة',
    'Einem Kanal beitreten',
    'Unirse a un canal',
    'Rejoindre un canal',
    'チャンネルに参加する',
    '加入频道',
  ),
  task(
    'channels-follow',
    'Be notified less, or more',
    'تلقي إشعارات أقل أو أكثر',
    'Weniger oder mehr benachrichtigt werden',
    'Recibir menos o más notificaciones',
    'Recevoir moins, ou plus, de notifications',
    '通知を減らす・増やす',
    '减少或增加通知',
  ),
  task(
    'search-words',
    'Find a message',
    'العثور على رسالة',
    'Eine Nachricht finden',
    'Encontrar un mensaje',
    'Trouver un message',
    'メッセージを探す',
    '查找消息',
  ),
  task(
    'phone-install',
    'Install the app',
    'تثبيت التطبيق',
    'Die App installieren',
    'Instalar la aplicación',
    'Installer l’application',
    'アプリをインストールする',
    '安装应用',
  ),
  task(
    'administration-people',
    'Invite people',
    'دعوة أشخاص',
    'Leute einladen',
    'Invitar a personas',
    'Inviter des personnes',
    'ユーザーを招待する',
    '邀请成员',
  ),
  task(
    'administration-bots',
    'Connect a program or a service',
    'ربط برنامج أو خدمة',
    'Ein Programm oder einen Dienst anbinden',
    'Conectar un programa o un servicio',
    'Connecter un programme ou un service',
    'プログラムやサービスを接続する',
    '接入程序或服务',
  ),
];
