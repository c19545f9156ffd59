import type { HelpCatalogue } from './help.ts';

export const fr: HelpCatalogue = {
  start: {
    title: 'Se repérer',
    inbox:
      'La boîte de réception affiche toutes les conversations où il vous reste quelque chose à lire. Choisissez-en une pour reprendre là où vous vous étiez arrêté.',
    sidebar:
      'La liste sur le côté contient vos vues, vos conversations directes et vos canaux. Sur un téléphone, balayez vers la fin de la ligne pour l’ouvrir, et dans l’autre sens pour la fermer.',
    jump: 'Appuyez sur Ctrl et K, ou choisissez « Aller à une conversation », pour atteindre un canal, une personne ou une vue en tapant une partie de son nom.',
    address:
      'Chaque vue a sa propre adresse. Vous pouvez l’ajouter à vos marque-pages et l’envoyer à d’autres, qui voient ce à quoi ils ont accès.',
    organizations:
      '« Vos organisations », dans le menu, affiche les organisations de ce serveur où vous avez un compte et mène à d’autres.',
  },
  messages: {
    title: 'Messages',
    actions:
      'Pointez un message pour y réagir, le citer ou l’ajouter aux favoris. Le menu à côté contient tout le reste. Sur un téléphone, laissez le doigt sur le message.',
    edit: 'Vous pouvez modifier et supprimer vos messages aussi longtemps que votre organisation le permet. Les autres peuvent voir les versions précédentes si votre organisation les conserve.',
    move: 'Choisissez « Déplacer des messages » dans le menu d’un message qui relève d’un autre sujet : ce message seulement, tous les suivants aussi ou le sujet entier. « Déplacer le sujet », dans le menu d’un sujet, le déplace en entier, même vers un autre canal.',
    unread:
      'Ce que vous voyez compte comme lu. Choisissez « Marquer comme non lu à partir d’ici » pour y revenir plus tard, ou demandez un rappel.',
    star: 'Les messages favoris ont leur propre vue. Vos favoris ne sont visibles que par vous.',
    pictures:
      'Cliquez sur une image pour l’afficher. Les touches fléchées montrent alors les autres images et vidéos de la conversation, + et - agrandissent et réduisent, et 0 ajuste l’image à l’écran.',
    readers:
      'Le menu d’un message montre qui l’a lu. Les personnes qui ne partagent pas ce qu’elles ont lu n’y figurent pas.',
    report:
      'Choisissez « Signaler » dans le menu d’un message contraire aux règles. La modération de votre organisation reçoit le message et votre motif.',
  },
  compose: {
    title: 'Écrire',
    format:
      'Écrivez **gras**, *italique* ou `code`, et commencez les lignes par un tiret pour faire une liste. L’œil sous le texte montre le résultat.',
    mention:
      'Tapez @ et un nom pour mentionner quelqu’un, # et un nom pour faire un lien vers un canal, : et un mot pour un émoji, et / pour les commandes, comme les sondages et les listes de tâches.',
    files: 'Collez ou déposez un fichier pour le joindre. Un envoi interrompu reprend au retour de la connexion.',
    later:
      'Choisissez « Envoyer plus tard » pour qu’un message parte à un autre moment. D’ici là, vous pouvez le modifier.',
    times:
      'Les dates et heures se choisissent dans le calendrier de votre navigateur. En dessous, votre choix s’affiche dans votre langue, avec le fuseau horaire. « Aller à une date », au-dessus d’une conversation, mène au premier message à partir de ce jour.',
    kept: 'Ce que vous écrivez est conservé sur cet appareil à chaque frappe, et peu après dans votre compte. Vous le retrouvez dans « Brouillons ».',
    snippets:
      'Enregistrez les textes que vous écrivez souvent dans « Textes enregistrés », dans le menu sous le champ de message, et insérez-les de là.',
  },
  channels: {
    title: 'Canaux et sujets',
    topics:
      'Un canal est destiné à un groupe de personnes ou à un domaine. Chaque conversation y a un sujet, ce qui permet d’en mener plusieurs en même temps.',
    browse: 'Parcourez les canaux pour en rejoindre un. Seuls leurs membres voient les canaux privés.',
    follow:
      'Suivez un sujet pour être prévenu de ses nouveautés. Masquez un sujet ou un canal pour que ses nouveautés n’apparaissent pas dans la boîte de réception.',
    resolve: 'Marquez un sujet comme résolu quand la question est réglée. On peut toujours le lire et le poursuivre.',
    views:
      'Épinglez les canaux que vous utilisez le plus. Avec « Garder dans la barre latérale », vous pouvez faire de même avec toute vue ou recherche.',
    spectators:
      'Si votre organisation le permet, les canaux publics sur le web se lisent sans compte. Toute personne qui a le lien voit les messages et peut se connecter de là pour écrire.',
    create:
      'Créez un canal s’il n’y en a pas pour votre domaine. Tout le monde peut trouver et rejoindre un canal public ; dans un canal privé, ce sont ses membres qui ajoutent les autres.',
    settings:
      '« Paramètres du canal », dans le menu d’un canal, contient sa description, ses membres et vos notifications pour ce canal.',
    leave:
      'Pour quitter un canal, ouvrez son menu dans la barre latérale et choisissez « Quitter le canal ». Vous pouvez rejoindre à nouveau un canal public à tout moment, un canal privé seulement si un membre vous ajoute.',
  },
  search: {
    title: 'Rechercher',
    words:
      'Tapez des mots dans le champ de recherche pour trouver les messages qui les contiennent tous. Mettez entre guillemets les mots qui vont ensemble.',
    operators:
      'Affinez une recherche avec des opérateurs, comme channel:design, sender:Ada, has:image ou is:unread. Des suggestions apparaissent pendant la saisie.',
    without: 'Mettez un tiret devant un opérateur pour exclure quelque chose, comme dans -sender:Ada.',
    when: 'Pour trouver un message d’une certaine époque, ouvrez sa conversation et choisissez « Aller à une date » au-dessus, ou commencez à un jour avec l’opérateur date:, comme dans date:2026-10-01.',
  },
  notifications: {
    title: 'Notifications',
    when: 'Vous êtes prévenu des messages directs, des mentions et des nouveautés dans les sujets suivis. Dans les paramètres, vous pouvez régler cela pour chaque canal.',
    device:
      'Chaque navigateur demande une fois s’il peut afficher des notifications. « Me prévenir sur cet appareil » fonctionne même quand Stoa est fermé.',
    words: 'Les mots d’alerte, comme le nom de votre projet, vous préviennent de chaque message qui les contient.',
    mail: 'Après une absence, vous pouvez recevoir par e-mail ce que vous avez manqué.',
    less: 'Pour recevoir moins de notifications, choisissez dans les paramètres, sous « Notifications », ce dont vous êtes prévenu. Masquez des canaux et des sujets dans leurs menus.',
    pause:
      'Pour un moment de calme, choisissez « Suspendre les notifications » dans le menu à côté de votre nom. Dans les paramètres, des heures calmes font de même chaque jour.',
  },
  account: {
    title: 'Votre compte et les autres personnes',
    language:
      'Pour changer de langue, choisissez « Paramètres » dans le menu à côté de votre nom, puis « Affichage » et « Langue ».',
    factor:
      'Pour un second facteur en plus de votre mot de passe, choisissez « Paramètres », puis « Mot de passe et clé d’API », et configurez une application d’authentification sous « Second facteur ». Conservez les codes de secours en lieu sûr : l’un d’eux permet de se connecter sans l’application.',
    people:
      'Choisissez le nom ou l’image d’une personne pour voir son profil. « Masquer cette personne » y cache ses messages et ses notifications pour vous ; elle n’en sait rien.',
    status:
      '« Définir un statut », dans le menu à côté de votre nom, montre aux autres un texte et un émoji à côté de votre nom, aussi longtemps que vous le voulez.',
  },
  keyboard: {
    title: 'Clavier',
    list: 'Appuyez sur ? pour voir toutes les touches. Elles fonctionnent quand vous n’êtes pas en train d’écrire ; Escape quitte un champ de texte.',
    move: 'j et k sélectionnent le message suivant et le précédent, r y répond, et n mène au sujet suivant avec des messages non lus.',
    write:
      'c commence un message. Ctrl et Enter l’envoient, ou Enter seul si vous le choisissez dans les paramètres.',
  },
  phone: {
    title: 'Téléphones et travail hors ligne',
    install:
      'Votre navigateur peut installer Stoa comme application : choisissez « Ajouter à l’écran d’accueil » ou « Installer » dans son menu. D’autres applications peuvent alors y partager des textes et des liens.',
    share:
      'Partagez un texte, un lien ou un fichier d’une autre application avec Stoa et choisissez la conversation. Le tout y apparaît dans le champ de message, et rien ne part avant que vous ne l’envoyiez.',
    offline:
      'Sans réseau, Stoa s’ouvre avec le dernier état connu. Ce que vous envoyez alors est conservé et part dès qu’il y a une connexion.',
    logout: 'La déconnexion supprime tout ce qui est conservé sur l’appareil.',
  },
  imported: {
    title: 'Après l’import',
    start:
      'Cette organisation a été importée. Les messages ont gardé leurs auteurs et leurs heures, et personne \
n’en a été notifié.',
    threaded_threads:
      'Les fils sont devenus des sujets, nommés d’après leur premier message. Ce qui a été écrit dans un \
canal hors des fils se trouve dans un sujet dont le nom commence par « imported from », sauf si un \
propriétaire en a choisi un autre.',
    topical_topics:
      'Les canaux et les sujets ont gardé leurs noms, et les liens entre messages mènent à leurs copies ici.',
    find: 'Pour trouver une conversation, choisissez son canal puis un sujet, ou cherchez des mots et des personnes.',
    threaded_pins:
      'Les messages épinglés sont listés dans le sujet « pinned » de leur canal. Ajoutez aux favoris les \
messages que vous voulez garder à portée de main.',
    topical_kept: 'Vos favoris et vos conversations muettes, suivies et épinglées sont comme avant.',
    reactions:
      'Les réactions sont toujours celles des mêmes personnes. Celles dont l’émoji n’existe pas ici manquent.',
    files: 'Les fichiers que contenait l’archive s’ouvrent depuis leurs messages.',
    slack_files:
      'Les archives de Slack contiennent des liens vers les fichiers. Un fichier que personne n’a ajouté à \
l’archive ne s’ouvre que dans Slack.',
    private: 'Les canaux privés ont les mêmes membres qu’avant. Ce que l’archive ne contenait pas manque.',
    slack_read: 'Tout est marqué comme lu, car les archives de Slack ne disent pas ce que vous avez lu.',
    unread_read: 'Ce que vous n’aviez pas lu est toujours non lu.',
    threaded_names:
      'Ce qui était un espace de travail ou une équipe s’appelle ici une organisation, et un fil est un sujet.',
    account:
      'Votre ancien mot de passe ne fonctionne pas ici. Choisissez-en un nouveau avec « Mot de passe oublié ? \
» ou avec un lien que vous avez reçu. Parcourez ensuite vos notifications dans les paramètres.',
  },
  administration: {
    title: 'Administration',
    where:
      'Tout ce qui concerne votre organisation est au même endroit : paramètres, personnes, groupes, canaux, émojis, robots et données. Vous voyez les sections que vous pouvez consulter.',
    permissions:
      'La plupart des permissions sont accordées à un groupe : toutes les personnes ayant un rôle, un de vos groupes ou certaines personnes. Un paramètre que vous ne pouvez pas modifier indique qui le peut.',
    people:
      'Invitez des personnes par e-mail ou avec un lien. Désactivez un compte quand quelqu’un part : ce qu’il a écrit reste, et il ne peut plus se connecter.',
    accounts:
      'Si le serveur le permet, les administrateurs peuvent aussi créer un compte sous « Personnes ». Le mot de passe proposé n’est affiché qu’une fois : transmettez-le à la personne.',
    bots: 'Un robot écrit pour un programme. Il a sa propre clé, que vous pouvez remplacer à tout moment, et un fichier de configuration à télécharger. L’adresse d’un webhook entrant est composée pour vous.',
    fields:
      'Les champs de profil demandent plus que le nom, par exemple l’équipe. Vous choisissez lesquels sont obligatoires et lesquels chacun remplit lui-même. Sous « Personnes », vous pouvez les remplir pour d’autres.',
    changes:
      'Chaque modification prend effet immédiatement et pour tout le monde, sauf dans un formulaire doté d’un bouton pour l’enregistrer.',
    unsaved:
      'Ce que vous saisissez dans un formulaire sans l’enregistrer est toujours là quand vous revenez à la section. Le navigateur demande confirmation avant que vous ne quittiez la page.',
  },
};
