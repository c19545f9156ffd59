import type { HelpCatalogue } from './help.ts';

export const es: HelpCatalogue = {
  start: {
    title: 'Orientarse',
    inbox:
      'La bandeja de entrada muestra todas las conversaciones en las que te queda algo por leer. Elige una para seguir leyendo donde lo dejaste.',
    sidebar:
      'La lista lateral contiene tus vistas, tus conversaciones directas y tus canales. En un teléfono, desliza hacia el final de la línea para abrirla y en sentido contrario para cerrarla.',
    jump: 'Pulsa Ctrl y K, o elige «Ir a una conversación», para llegar a cualquier canal, persona o vista escribiendo parte de su nombre.',
    address:
      'Cada vista tiene su propia dirección. Puedes guardarla como marcador y enviársela a otras personas, que verán aquello a lo que tengan acceso.',
    organizations:
      '«Tus organizaciones», en el menú, muestra las organizaciones de este servidor en las que tienes una cuenta y lleva a otras.',
  },
  messages: {
    title: 'Mensajes',
    actions:
      'Apunta a un mensaje para reaccionar, citarlo o destacarlo. El menú de al lado contiene todo lo demás. En un teléfono, mantén pulsado el mensaje.',
    edit: 'Puedes editar y eliminar tus mensajes mientras tu organización lo permita. Los demás pueden ver las versiones anteriores si tu organización las conserva.',
    move: 'Elige «Mover mensajes» en el menú de un mensaje que corresponde a otro tema: solo ese, también todos los posteriores o el tema entero. «Mover el tema», en el menú de un tema, lo mueve entero, también a otro canal.',
    unread:
      'Lo que ves cuenta como leído. Elige «Marcar como no leído desde aquí» para volver a ello más tarde, o pide un recordatorio.',
    star: 'Los mensajes destacados tienen su propia vista. Solo tú ves lo que has destacado.',
    pictures:
      'Haz clic en una imagen para verla. Allí, las teclas de flecha muestran las demás imágenes y vídeos de la conversación, + y - acercan y alejan, y 0 ajusta la imagen a la pantalla.',
    readers: 'El menú de un mensaje muestra quién lo ha leído. Quienes no comparten lo que han leído no aparecen.',
    report:
      'Elige «Denunciar» en el menú de un mensaje que incumple las normas. La moderación de tu organización recibe el mensaje y tu motivo.',
  },
  compose: {
    title: 'Escribir',
    format:
      'Escribe **negrita**, *cursiva* o `código`, y empieza las líneas con un guion para hacer una lista. El ojo de debajo del texto muestra cómo quedará.',
    mention:
      'Escribe @ y un nombre para mencionar a alguien, # y un nombre para enlazar un canal, : y una palabra para un emoji, y / para comandos como encuestas y listas de tareas.',
    files: 'Pega o suelta un archivo para adjuntarlo. Una subida interrumpida continúa cuando vuelve la conexión.',
    later: 'Elige «Enviar más tarde» para que un mensaje se envíe en otro momento. Hasta entonces puedes cambiarlo.',
    times:
      'Las horas y los días se eligen en el calendario de tu navegador. Debajo ves la elección en tu idioma, con la zona horaria. «Ir a una fecha», encima de una conversación, lleva al primer mensaje desde ese día.',
    kept: 'Lo que escribes se guarda en este dispositivo con cada tecla, y poco después en tu cuenta. Lo encontrarás en «Borradores».',
    snippets:
      'Guarda los textos que escribes a menudo en «Textos guardados», en el menú de debajo del cuadro de mensaje, e insértalos desde allí.',
  },
  channels: {
    title: 'Canales y temas',
    topics:
      'Un canal es para un grupo de personas o una materia. Dentro de él, cada conversación tiene un tema, así que puede haber varias a la vez.',
    browse: 'Explora los canales para unirte a uno. Los canales privados solo los ven quienes están en ellos.',
    follow:
      'Sigue un tema para recibir avisos de sus novedades. Silencia un tema o un canal para que sus novedades no aparezcan en la bandeja de entrada.',
    resolve: 'Marca un tema como resuelto cuando el asunto esté zanjado. Se puede seguir leyendo y continuar.',
    views:
      'Fija los canales que más usas. Con «Mantener en la barra lateral» puedes hacer lo mismo con cualquier vista o búsqueda.',
    spectators:
      'Si tu organización lo permite, los canales públicos en la web se pueden leer sin cuenta. Quien tenga el enlace ve los mensajes y puede iniciar sesión desde allí para escribir.',
    create:
      'Crea un canal si no hay ninguno para tu materia. Cualquiera puede encontrar un canal público y unirse a él; a uno privado añaden a otros sus miembros.',
    settings:
      '«Ajustes del canal», en el menú de un canal, contiene su descripción, sus miembros y tus notificaciones para él.',
    leave:
      'Para salir de un canal, abre su menú en la barra lateral y elige «Salir del canal». Puedes volver a un canal público en cualquier momento; a uno privado, solo si un miembro te añade.',
  },
  search: {
    title: 'Buscar',
    words:
      'Escribe palabras en el campo de búsqueda para encontrar los mensajes que las contienen todas. Pon entre comillas las palabras que van juntas.',
    operators:
      'Acota una búsqueda con operadores, como channel:design, sender:Ada, has:image o is:unread. Las sugerencias aparecen mientras escribes.',
    without: 'Pon un guion delante de un operador para excluir algo, como en -sender:Ada.',
    when: 'Para encontrar un mensaje de un momento determinado, abre su conversación y elige «Ir a una fecha» encima de ella, o empieza en un día con el operador date:, como en date:2026-10-01.',
  },
  notifications: {
    title: 'Notificaciones',
    when: 'Recibes avisos de los mensajes directos, las menciones y los temas que sigues. En los ajustes puedes elegirlo para cada canal.',
    device:
      'Cada navegador pregunta una vez si puede mostrar notificaciones. «Avisarme en este dispositivo» funciona aunque Stoa esté cerrado.',
    words:
      'Con las palabras de alerta, como el nombre de tu proyecto, recibes avisos de todos los mensajes que las contienen.',
    mail: 'Si has estado fuera un tiempo, puedes recibir por correo lo que te has perdido.',
    less: 'Para recibir menos notificaciones, elige en los ajustes, en «Notificaciones», de qué recibes avisos. Silencia canales y temas en sus menús.',
    pause:
      'Para tener un rato de calma, elige «Pausar los avisos» en el menú junto a tu nombre. En los ajustes, las horas de silencio hacen lo mismo cada día.',
  },
  account: {
    title: 'Tu cuenta y las demás personas',
    language: 'Para cambiar el idioma, elige «Ajustes» en el menú junto a tu nombre y después «Pantalla» e «Idioma».',
    factor:
      'Para un segundo factor además de tu contraseña, elige «Ajustes», después «Contraseña y clave de API», y configura una aplicación de autenticación en «Segundo factor». Guarda los códigos de recuperación en un lugar seguro: con uno de ellos puedes iniciar sesión sin la aplicación.',
    people:
      'Elige el nombre o la imagen de una persona para ver su perfil. «Silenciar a esta persona» te oculta allí sus mensajes y sus avisos; la persona no se entera.',
    status:
      '«Poner un estado», en el menú junto a tu nombre, muestra a los demás un texto y un emoji al lado de tu nombre durante el tiempo que elijas.',
  },
  keyboard: {
    title: 'Teclado',
    list: 'Pulsa ? para ver todas las teclas. Funcionan mientras no escribes; Escape sale de un campo de texto.',
    move: 'j y k seleccionan el mensaje siguiente y el anterior, r lo responde y n lleva al siguiente tema con mensajes no leídos.',
    write: 'c empieza un mensaje. Ctrl y Enter lo envían, o solo Enter si así lo eliges en los ajustes.',
  },
  phone: {
    title: 'Teléfonos y trabajo sin conexión',
    install:
      'Tu navegador puede instalar Stoa como aplicación: elige «Añadir a pantalla de inicio» o «Instalar» en su menú. Otras aplicaciones podrán entonces compartir textos y enlaces con Stoa.',
    share:
      'Comparte un texto, un enlace o un archivo de otra aplicación con Stoa y elige la conversación. Aparece allí en el cuadro de mensaje, y nada se envía hasta que tú lo envíes.',
    offline:
      'Sin red, Stoa se abre con lo último que conocía. Lo que envíes entonces se guarda y sale en cuanto haya conexión.',
    logout: 'Al cerrar sesión se elimina todo lo guardado en el dispositivo.',
  },
  imported: {
    title: 'Después de la importación',
    start:
      'Esta organización se ha importado. Los mensajes conservan sus autores y sus horas, y no se notificó a nadie.',
    threaded_threads:
      'Los hilos son ahora temas, con el nombre de su primer mensaje. Lo que se escribió en un canal fuera de \
los hilos está en un tema cuyo nombre empieza por «imported from», salvo que un propietario eligiera otro.',
    topical_topics:
      'Los canales y los temas conservan sus nombres, y los enlaces entre mensajes llevan a sus copias aquí.',
    find: 'Para encontrar una conversación, elige su canal y después un tema, o busca palabras y personas.',
    threaded_pins:
      'Los mensajes fijados aparecen en el tema «pinned» de su canal. Destaca los mensajes que quieras tener a mano.',
    topical_kept: 'Tus mensajes destacados y tus conversaciones silenciadas, seguidas y fijadas están como estaban.',
    reactions:
      'Las reacciones siguen siendo de las mismas personas. Faltan las que usan un emoji que no existe aquí.',
    files: 'Los archivos que contenía la exportación se abren desde sus mensajes.',
    slack_files:
      'Las exportaciones de Slack contienen enlaces a los archivos. Un archivo que nadie añadió solo se abre \
en Slack.',
    private: 'Los canales privados tienen los mismos miembros que antes. Lo que no estaba en la exportación falta.',
    slack_read: 'Todo cuenta como leído, ya que las exportaciones de Slack no dicen lo que has leído.',
    unread_read: 'Lo que no habías leído sigue sin leer.',
    threaded_names: 'Lo que era un espacio de trabajo o un equipo se llama aquí organización, y un hilo es un tema.',
    account:
      'Tu contraseña anterior no sirve aquí. Elige una nueva con «¿Has olvidado tu contraseña?» o con un \
enlace que hayas recibido. Después revisa tus notificaciones en los ajustes.',
  },
  administration: {
    title: 'Administración',
    where:
      'Todo lo relativo a tu organización está en un solo lugar: ajustes, personas, grupos, canales, emojis, bots y datos. Ves las secciones que puedes consultar.',
    permissions:
      'La mayoría de los permisos se dan a un grupo: todas las personas con un rol, un grupo propio o personas concretas. Un ajuste que no puedes cambiar indica quién puede.',
    people:
      'Invita a personas por correo o con un enlace. Desactiva una cuenta cuando alguien se vaya: lo que ha escrito permanece y ya no podrá iniciar sesión.',
    accounts:
      'Si el servidor lo permite, los administradores también pueden crear una cuenta en «Personas». La contraseña propuesta se muestra una sola vez: entrégasela a la persona.',
    bots: 'Un bot escribe en nombre de un programa. Tiene su propia clave, que puedes sustituir en cualquier momento, y un archivo de configuración para descargar. La dirección de un webhook entrante se compone por ti.',
    fields:
      'Los campos del perfil piden algo más que el nombre, como el equipo. Eliges cuáles son obligatorios y cuáles rellena cada persona. En «Personas» puedes rellenarlos por otros.',
    changes: 'Cada cambio surte efecto al instante y para todos, salvo en los formularios con un botón para guardar.',
    unsaved:
      'Lo que escribes en un formulario sin guardarlo sigue ahí cuando vuelves a la sección. El navegador pregunta antes de que salgas de la página.',
  },
};
