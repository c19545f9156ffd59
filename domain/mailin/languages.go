package mailin

import (
	"regexp"
	"strings"
)

// field is a line of the block of headers that mail clients write above a quoted email.
type field uint8

const (
	fromField field = 1 << iota
	sentField
	toField
	subjectField
	copyField
)

// headerNames holds the names of the headers that mail clients write above a quoted email, one row per language, with
// alternatives separated by "|": the language, From, Sent or Date, To, and Subject. The first ones are Outlook's.
var headerNames = [...][5]string{
	{"English", "from", "sent|date", "to", "subject"},
	{"German", "von", "gesendet|datum", "an", "betreff"},
	{"French", "de", "envoyé|date|envoyé le|le", "à|a|pour|destinataire", "objet|sujet"},
	{"French", "expéditeur", "date|envoyé", "destinataire|à", "objet|sujet"},
	{"Spanish", "de", "enviado|enviado el|enviado a las|fecha", "para", "asunto"},
	{"Italian", "da|mittente", "inviato|data", "a|per|destinatario", "oggetto"},
	{"Portuguese", "de", "enviada em|enviado em|enviado|enviada|data", "para", "assunto"},
	{"Dutch, Afrikaans", "van", "verzonden|datum|gestuur", "aan", "onderwerp"},
	{"Swedish", "från", "skickat|datum", "till", "ämne"},
	{"Danish, Norwegian", "fra", "sendt|dato", "til", "emne"},
	{"Finnish", "lähettäjä", "lähetetty|päivämäärä|päiväys", "vastaanottaja", "aihe"},
	{"Icelandic", "frá", "sent|dagsetning", "til", "efni"},
	{"Polish", "od|nadawca", "wysłano|wysłane|data", "do|adresat", "temat"},
	{"Czech", "od", "odesláno|datum", "komu", "předmět"},
	{"Slovak", "od", "odoslané|dátum", "komu|pre", "predmet"},
	{"Hungarian", "feladó", "elküldve|küldve|dátum", "címzett", "tárgy"},
	{"Romanian", "de la|de|expeditorul|expeditor", "trimis|dată|data", "către|la|destinatarul", "subiect|subiectul"},
	{"Bulgarian", "от", "изпратено|изпратено на|дата", "до", "относно|тема"},
	{"South Slavic", "od|šalje|pošiljatelj", "poslano|poslato|datum", "za|prima", "predmet|naslov|tema|zadeva"},
	{"Serbian, Macedonian", "од|шаље", "послато|испратено|датум", "за|до|прима", "предмет|наслов|тема"},
	{"Albanian", "nga", "dërguar|data", "për", "subjekti|tema"},
	{"Ukrainian", "від|від кого", "надіслано|відправлено|дата", "кому", "тема"},
	{"Russian", "от|от кого|отправитель", "отправлено|послано|дата", "кому", "тема"},
	{"Belarusian", "ад", "адпраўлена|дата", "каму", "тэма"},
	{"Latvian", "no", "nosūtīts|datums", "kam", "temats|tēma"},
	{"Lithuanian", "nuo", "išsiųsta|data", "kam", "tema"},
	{"Estonian", "saatja", "saadetud|kuupäev", "adressaat|saaja", "teema"},
	{"Greek", "από", "στάλθηκε|απεσταλμένα|ημερομηνία", "προς", "θέμα"},
	{"Turkish", "kimden|gönderen", "gönderildi|gönderilen|gönderme tarihi|tarih", "kime|alıcı", "konu"},
	{"Azerbaijani", "kimdən", "göndərildi|tarix", "kimə", "mövzu"},
	{"Kazakh", "кімнен|жіберуші", "жіберілді|күні", "кімге|алушы", "тақырып|тақырыбы"},
	{"Georgian", "გამომგზავნი|ვისგან", "გაგზავნილია|გაიგზავნა|თარიღი", "მიმღები|ვის", "თემა|საგანი"},
	{"Armenian", "ուղարկողը|ումից", "ուղարկված է|ուղարկվել է|ամսաթիվ", "ստացողը|ում", "թեմա"},
	{"Catalan", "de", "enviat|enviat el|data", "per a|a", "assumpte|tema"},
	{"Galician", "de", "enviado|data", "para", "asunto"},
	{"Basque", "nork|noren|igorlea", "bidalita|bidaltze-data|data", "nori|hartzailea", "gaia"},
	{"Irish", "ó", "seolta|dáta", "chuig", "ábhar"},
	{"Hebrew", "מאת", "נשלח|תאריך", "אל", "נושא"},
	{"Arabic", "من", "تم الإرسال|تاريخ الإرسال|المرسلة|مُرسَل|المُرسَل|التاريخ", "إلى", "الموضوع"},
	{"Persian, Urdu", "از", "ارسال شده|ارسال\u200cشده|تاریخ", "به", "موضوع"},
	{"Japanese", "差出人|送信者|送信元", "送信日時|日時|日付", "宛先|送信先", "件名"},
	{"Korean", "보낸 사람|보낸사람", "보낸 날짜|날짜|보냄", "받는 사람|받는사람", "제목"},
	{"Chinese, simplified", "发件人", "发送时间|发送日期|日期|时间", "收件人", "主题"},
	{"Chinese, traditional", "寄件者|寄件人|從", "寄件日期|傳送時間|日期", "收件者|收件人|至", "主旨|主題"},
	{"Thai", "จาก", "ส่ง|ส่งเมื่อ|วันที่", "ถึง", "เรื่อง|หัวเรื่อง"},
	{"Vietnamese", "từ|người gửi", "đã gửi|ngày gửi|ngày", "đến|tới|người nhận", "chủ đề|tiêu đề"},
	{"Indonesian", "dari", "dikirim|terkirim|tanggal", "kepada|ke", "subjek|perihal"},
	{"Malay", "daripada|dari", "dihantar|tarikh", "kepada", "subjek"},
	{"Hindi", "प्रेषक|द्वारा", "भेजा गया|दिनांक", "प्रति|सेवा में", "विषय"},
}

// copyNames holds the names of the header Cc in all languages.
const copyNames = "cc|kopie|kopie (cc)|copie à|kopio|kopia|kopi|kópia|másolat|másolatot kap|dw|копия|копія|копие|" +
	"bilgi|koopia|kopija|副本|抄送|참조|สำเนา|עותק|نسخة|κοιν.|κοινοποίηση|s/c|conn.|c.c."

// languages is a set of rows of headerNames.
type languages uint64

// headerFields maps the name of a header to the fields that it can mean, and these to the languages in which it does.
var headerFields = indexHeaders()

func indexHeaders() map[string]map[field]languages {
	all := map[string]map[field]languages{}
	add := func(names string, f field, in languages) {
		for name := range strings.SplitSeq(names, "|") {
			if all[name] == nil {
				all[name] = map[field]languages{}
			}
			all[name][f] |= in
		}
	}
	for i, row := range headerNames {
		for column, f := range [...]field{fromField, sentField, toField, subjectField} {
			add(row[column+1], f, 1<<i)
		}
	}
	add(copyNames, copyField, 1<<len(headerNames)-1)
	return all
}

// originals holds the texts of separators above a quoted email, such as "-----Original Message-----".
var originals = textSet("original message|reply message|ursprüngliche nachricht|originalnachricht|original-nachricht|" +
	"ursprungliche nachricht|message d'origine|message d’origine|message original|mensaje original|" +
	"messaggio originale|mensagem original|oorspronkelijk bericht|origineel bericht|oorspronklike boodskap|" +
	"ursprungligt meddelande|originalmeddelande|oprindelig meddelelse|original meddelelse|opprinnelig melding|" +
	"alkuperäinen viesti|upprunaleg skilaboð|upprunalegt skeyti|oryginalna wiadomość|wiadomość oryginalna|" +
	"wiadomość pierwotna|původní zpráva|originální zpráva|pôvodná správa|eredeti üzenet|mesaj original|" +
	"mesajul original|mesajul inițial|оригинално писмо|оригинално съобщение|izvorna poruka|originalna poruka|" +
	"izvirno sporočilo|originalno sporočilo|изворна порука|оригинална порука|оригинална поруката|mesazhi origjinal|" +
	"вихідне повідомлення|оригінальне повідомлення|исходное сообщение|оригинальное сообщение|зыходнае паведамленне|" +
	"зыходны ліст|sākotnējais ziņojums|oriģinālais ziņojums|pradinis laiškas|originalus laiškas|algne kiri|" +
	"algne sõnum|αρχικό μήνυμα|özgün ileti|orijinal mesaj|orijinal ileti|бастапқы хабар|missatge original|" +
	"mensaxe orixinal|jatorrizko mezua|teachtaireacht bhunaidh|הודעה מקורית|ההודעה המקורית|الرسالة الأصلية|" +
	"الرسالة الأصليَّة|رسالة أصلية|پیام اصلی|元のメッセージ|オリジナルメッセージ|original mail|원본 메시지|원본 메일|원본 편지|原始邮件|邮件原件|" +
	"原邮件|原始郵件|原始信件|ข้อความต้นฉบับ|ข้อความเดิม|tin nhắn gốc|thư gốc|pesan asli|mesej asal|मूल संदेश")

// wrote holds the verbs of the line above a quotation, such as "On Monday, Ada wrote:".
var wrote = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:wrote|writes|schrieb|schrieben|geschrieben|schreibt|écrit|` +
	`escribió|escribio|ha scritto|scritto|escreveu|schreef|geschreven|skrev|kirjoitti|skrifaði|napsal|napsala|` +
	`napísal|napísala|` +
	`napisał|napisała|pisze|napisao|napisala|napisano|piše|je napisal|írta|a scris|scris|написа|написал|написала|пишет|` +
	`пише|написав|написала|напісаў|rakstīja|parašė|rašė|kirjutas|έγραψε|yazdı|yazmış|yazıb|yazdi|жазды|va escriure|` +
	`ha escrit|escribiu|idatzi du|scríobh|wysyła|menulis|đã viết|viết|shkroi|skryf|geskryf)(?:$|[^\pL])|` +
	`写道|寫道|写到|撰写|写的|書きました|のメッセージ|のメール|작성|님이|כתב|كتب|نوشت|เขียน|लिखा|დაწერა|գրել է`)

// opening matches the beginning of the line above a quotation: its first word, or a date.
var opening = regexp.MustCompile(`(?i)^[^\pL\pN]*(?:(?:on|at|in a message|am|le|el|il|em|op|den|d|på|dne|dňa|dnia|` +
	`w dniu|dana|în|pe|у|в|στις|vào|pada)[. ]|在|于|於|[\pL]{2,5}[.,]{1,2} ?\d|\d{1,4}[-./년年])`)

func textSet(texts string) map[string]bool {
	all := map[string]bool{}
	for text := range strings.SplitSeq(texts, "|") {
		all[text] = true
	}
	return all
}
