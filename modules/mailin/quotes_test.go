package mailin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// outlook holds the headers that Outlook writes above a quoted email, by language.
var outlook = []struct{ language, from, sent, to, subject string }{
	{"English", "From:", "Sent:", "To:", "Subject:"},
	{"English, on a phone", "From:", "Date:", "To:", "Subject:"},
	{"German", "Von:", "Gesendet:", "An:", "Betreff:"},
	{"French", "De :", "Envoyé :", "À :", "Objet :"},
	{"French, with no-break spaces", "De\u00a0:", "Date\u00a0:", "À\u00a0:", "Objet\u00a0:"},
	{"Spanish", "De:", "Enviado el:", "Para:", "Asunto:"},
	{"Spanish, on the web", "De:", "Enviado:", "Para:", "Asunto:"},
	{"Italian", "Da:", "Inviato:", "A:", "Oggetto:"},
	{"Portuguese", "De:", "Enviado:", "Para:", "Assunto:"},
	{"Portuguese of Brazil", "De:", "Enviada em:", "Para:", "Assunto:"},
	{"Dutch", "Van:", "Verzonden:", "Aan:", "Onderwerp:"},
	{"Swedish", "Från:", "Skickat:", "Till:", "Ämne:"},
	{"Danish", "Fra:", "Sendt:", "Til:", "Emne:"},
	{"Norwegian", "Fra:", "Dato:", "Til:", "Emne:"},
	{"Finnish", "Lähettäjä:", "Lähetetty:", "Vastaanottaja:", "Aihe:"},
	{"Icelandic", "Frá:", "Sent:", "Til:", "Efni:"},
	{"Polish", "Od:", "Wysłano:", "Do:", "Temat:"},
	{"Czech", "Od:", "Odesláno:", "Komu:", "Předmět:"},
	{"Slovak", "Od:", "Odoslané:", "Komu:", "Predmet:"},
	{"Hungarian", "Feladó:", "Elküldve:", "Címzett:", "Tárgy:"},
	{"Romanian", "De la:", "Trimis:", "Către:", "Subiect:"},
	{"Bulgarian", "От:", "Изпратено:", "До:", "Относно:"},
	{"Croatian", "Od:", "Poslano:", "Za:", "Predmet:"},
	{"Serbian", "Od:", "Poslato:", "Za:", "Naslov:"},
	{"Serbian, Cyrillic", "Од:", "Послато:", "За:", "Наслов:"},
	{"Slovenian", "Od:", "Poslano:", "Za:", "Zadeva:"},
	{"Macedonian", "Од:", "Испратено:", "До:", "Предмет:"},
	{"Albanian", "Nga:", "Dërguar:", "Për:", "Subjekti:"},
	{"Ukrainian", "Від:", "Надіслано:", "Кому:", "Тема:"},
	{"Russian", "От:", "Отправлено:", "Кому:", "Тема:"},
	{"Belarusian", "Ад:", "Адпраўлена:", "Каму:", "Тэма:"},
	{"Latvian", "No:", "Nosūtīts:", "Kam:", "Temats:"},
	{"Lithuanian", "Nuo:", "Išsiųsta:", "Kam:", "Tema:"},
	{"Estonian", "Saatja:", "Saadetud:", "Adressaat:", "Teema:"},
	{"Greek", "Από:", "Στάλθηκε:", "Προς:", "Θέμα:"},
	{"Turkish", "Kimden:", "Gönderildi:", "Kime:", "Konu:"},
	{"Azerbaijani", "Kimdən:", "Göndərildi:", "Kimə:", "Mövzu:"},
	{"Kazakh", "Кімнен:", "Жіберілді:", "Кімге:", "Тақырып:"},
	{"Georgian", "გამომგზავნი:", "გაგზავნილია:", "მიმღები:", "თემა:"},
	{"Armenian", "Ուղարկողը:", "Ուղարկված է:", "Ստացողը:", "Թեմա:"},
	{"Catalan", "De:", "Enviat:", "Per a:", "Assumpte:"},
	{"Galician", "De:", "Enviado:", "Para:", "Asunto:"},
	{"Basque", "Nork:", "Bidalita:", "Nori:", "Gaia:"},
	{"Irish", "Ó:", "Seolta:", "Chuig:", "Ábhar:"},
	{"Hebrew", "מאת:", "נשלח:", "אל:", "נושא:"},
	{"Arabic", "من:", "تم الإرسال:", "إلى:", "الموضوع:"},
	{"Persian", "از:", "ارسال شده:", "به:", "موضوع:"},
	{"Japanese", "差出人:", "送信日時:", "宛先:", "件名:"},
	{"Korean", "보낸 사람:", "보낸 날짜:", "받는 사람:", "제목:"},
	{"Chinese, simplified", "发件人:", "发送时间:", "收件人:", "主题:"},
	{"Chinese, with wide colons", "发件人：", "日期：", "收件人：", "主题："},
	{"Chinese, traditional", "寄件者:", "寄件日期:", "收件者:", "主旨:"},
	{"Chinese of Hong Kong", "寄件者:", "傳送時間:", "收件人:", "主旨:"},
	{"Thai", "จาก:", "ส่ง:", "ถึง:", "เรื่อง:"},
	{"Vietnamese", "Từ:", "Đã gửi:", "Đến:", "Chủ đề:"},
	{"Indonesian", "Dari:", "Dikirim:", "Kepada:", "Subjek:"},
	{"Malay", "Daripada:", "Dihantar:", "Kepada:", "Subjek:"},
	{"Hindi", "प्रेषक:", "भेजा गया:", "प्रति:", "विषय:"},
}

// replies returns a function that posts a reply and checks the message that it becomes.
func replies(t *testing.T) func(name, body, want string) {
	w := open(t, kittest.Memory)
	to := w.address("type", "channel", "to", "general", "topic", "lunch", "content", "@**Bob** soup?")
	return func(name, body, want string) {
		t.Helper()
		text := "From: Bob <bob@example.com>\nTo: ADDRESS\nSubject: Re: lunch\nMIME-Version: 1.0\n" +
			"In-Reply-To: <notice@chat.example.com>\nContent-Type: text/plain; charset=utf-8\n\n" + body
		if got := w.deliverText(name, text, to); got != want {
			t.Errorf("%s:\n%q, want\n%q", name, got, want)
		}
	}
}

// TestOutlookReplies checks that what Outlook quotes is removed from replies in every language, with and without a rule
// above it, and in the bold headers of HTML.
func TestOutlookReplies(t *testing.T) {
	check := replies(t)
	for i, l := range outlook {
		own := fmt.Sprint("yes ", i)
		headers := fmt.Sprintf("%s Alice Smith\n%s 2026-06-01 12:00\n%s Bob\n%s lunch\n\nsoup?",
			l.from, l.sent, l.to, l.subject)
		check(l.language, own+"\n\n"+headers, own)
		check(l.language+" with a rule", own+"\n\n________________________________\n"+headers, own)
		few := fmt.Sprintf("%s Alice <alice@example.com>\n%s 2026-06-01 12:00\n\nsoup?", l.from, l.sent)
		check(l.language+" without a subject", own+"\n\n"+few, own)
		bold := strings.NewReplacer(l.from, "**"+l.from+"**", l.sent, "**"+l.sent+"**", l.subject, "**"+l.subject+"**")
		check(l.language+" in bold", own+"\n\n"+bold.Replace(headers), own)
	}
}

// TestIntroductions checks that the lines above quotations are removed with them, in the languages of mail clients.
func TestIntroductions(t *testing.T) {
	check := replies(t)
	for i, line := range []string{
		"On Mon, Jun 1, 2026 at 12:00 PM Alice <alice@example.com> wrote:",
		"On Mon, Jun 1, 2026 at 12:00 PM Alice via Stoa <\nalice@example.com> wrote:",
		"On Mon, 1 June 2026 at 12:00,\nAlice wrote:",
		"On 6/1/26 12:00 PM, Alice wrote:",
		"---- On Mon, 01 Jun 2026 12:00:00 +0200 Alice <alice@example.com> wrote ----",
		"Am Mo., 1. Juni 2026 um 12:00 Uhr schrieb Alice <alice@example.com>:",
		"Alice <alice@example.com> schrieb am Mo., 1. Juni 2026, 12:00:",
		"Le lun. 1 juin 2026 à 12:00, Alice <alice@example.com> a écrit :",
		"El lun, 1 jun 2026 a las 12:00, Alice (<alice@example.com>) escribió:",
		"Il giorno lun 1 giu 2026 alle ore 12:00 Alice <alice@example.com> ha scritto:",
		"Em seg., 1 de jun. de 2026 às 12:00, Alice <alice@example.com> escreveu:",
		"Op ma 1 jun 2026 om 12:00 schreef Alice <alice@example.com>:",
		"Den mån 1 juni 2026 kl 12:00 skrev Alice <alice@example.com>:",
		"Den man. 1. jun. 2026 kl. 12.00 skrev Alice <alice@example.com>:",
		"man. 1. jun. 2026 kl. 12:00 skrev Alice <alice@example.com>:",
		"ma 1. kesäk. 2026 klo 12.00 Alice <alice@example.com> kirjoitti:",
		"pon., 1 cze 2026 o 12:00 Alice <alice@example.com> napisał(a):",
		"po 1. 6. 2026 v 12:00 odesílatel Alice <alice@example.com> napsal:",
		"po 1. 6. 2026 o 12:00 Alice <alice@example.com> napísal(a):",
		"Alice <alice@example.com> ezt írta (időpont: 2026. jún. 1., H, 12:00):",
		"lun., 1 iun. 2026 la 12:00, Alice <alice@example.com> a scris:",
		"На пн, 1.06.2026 г. в 12:00 Alice <alice@example.com> написа:",
		"pon, 1. lip 2026. u 12:00 Alice <alice@example.com> napisao je:",
		"пн, 1 июн. 2026 г. в 12:00, Alice <alice@example.com>:",
		"пн, 1 черв. 2026 р. о 12:00 Alice <alice@example.com> пише:",
		"Στις Δευ, 1 Ιουν 2026 στις 12:00 μ.μ., ο χρήστης Alice <alice@example.com> έγραψε:",
		"Alice <alice@example.com>, 1 Haz 2026 Pzt, 12:00 tarihinde şunu yazdı:",
		"\u202bבתאריך יום ב׳, 1 ביוני 2026 ב-12:00 מאת \u202aAlice\u202c\u200f <\u202aalice@example.com\u202c\u200f>:\u202c",
		"في الاثنين، 1 يونيو 2026 في 12:00 م تمت كتابة ما يلي بواسطة Alice <alice@example.com>:",
		"2026年6月1日(月) 12:00 Alice <alice@example.com>:",
		"2026년 6월 1일 (월) 오후 12:00, Alice <alice@example.com>님이 작성:",
		"Alice <alice@example.com> 于2026年6月1日周一 12:00写道：",
		"Alice <alice@example.com> 於 2026年6月1日 週一 下午12:00寫道：",
		"在 2026-06-01 12:00:00，\"Alice\" <alice@example.com> 写道：",
		"ในวันที่ จ. 1 มิ.ย. 2026 เวลา 12:00 Alice <alice@example.com> เขียนว่า:",
		"Vào Th 2, 1 thg 6, 2026 vào lúc 12:00 Alice <alice@example.com> đã viết:",
		"Pada tanggal Sen, 1 Jun 2026 pukul 12.00 Alice <alice@example.com> menulis:",
	} {
		own := fmt.Sprint("yes ", i)
		check(line, own+"\n\n"+line+"\n\n> soup?\n> today?", own)
		check("below "+line, line+"\n> soup?\n\n"+own, own)
	}
}

// TestSeparators checks that the separators above quoted emails are found.
func TestSeparators(t *testing.T) {
	check := replies(t)
	for i, line := range []string{
		"-----Original Message-----", "-------- Original message --------", "-----Ursprüngliche Nachricht-----",
		"-----Message d'origine-----", "-----Mensaje original-----", "-----Messaggio originale-----",
		"-----Mensagem original-----", "-----Oorspronkelijk bericht-----", "-----Ursprungligt meddelande-----",
		"-----Oprindelig meddelelse-----", "-----Opprinnelig melding-----", "-----Alkuperäinen viesti-----",
		"-----Oryginalna wiadomość-----", "-----Původní zpráva-----", "-----Pôvodná správa-----", "-----Eredeti üzenet-----",
		"-----Mesaj original-----", "-----Izvorna poruka-----", "-----Izvirno sporočilo-----",
		"-----Исходное сообщение-----",
		"-----Вихідне повідомлення-----", "-----Оригинално съобщение-----", "-----Αρχικό μήνυμα-----",
		"-----Özgün İleti-----",
		"-----הודעה מקורית-----", "-----الرسالة الأصلية-----", "-----元のメッセージ-----", "-----원본 메시지-----", "-----邮件原件-----",
		"-----原始郵件-----", "------------------ 原始邮件 ------------------", "------------------ Original ------------------",
		"‐‐‐‐‐‐‐ Original Message ‐‐‐‐‐‐‐", "**-----Original Message-----**",
	} {
		own := fmt.Sprint("yes ", i)
		check(line, own+"\n\n"+line+"\nsoup?", own)
	}
}

// TestOwnWordsInReplies checks that what may be the sender's own is not taken for a quoted email.
func TestOwnWordsInReplies(t *testing.T) {
	check := replies(t)
	for _, own := range []string{
		"Take it:\n\nFrom: Calais\nTo: Dover\nDeck: 4",
		"Take it:\n\nFrom: Calais\nTo: Dover\nDate: Monday",
		"Kitchen\n________________________________\nGarden opens",
		"Steps\n--\n1. build\n2. ship",
		"Notes\n----- Agenda -----\n1. soup",
		"a\n> why?\nbecause",
		"> why?\nbecause\n> when?\nnow",
		"My list is:\n- On Monday Alice wrote: soup\n- bread",
		"The code:\n```\nFrom: x\nTo: y\n```",
		"No: I don't\nSubject: to change",
		"I asked her in 2024:\nsoup or bread",
		"--- Original ---\nsoup\n--- Changed ---\nbread",
		"At 12:00 she wrote:\nsoup or bread",
	} {
		check(own, own, own)
	}
	check("a colon above a quotation", "My question is\nthis one:\n> soup?", "My question is\nthis one:")
	check("words above the introduction",
		"On it.\nOn Mon, Jun 1, 2026 at 12:00 PM Alice <a@example.com> wrote:\n> soup?", "On it.")
	check("a signature", "yes\n\n-- \nBob\n+49 30 1\n\nOn Monday, Alice wrote:\n> soup?", "yes")
}
