import type { PhraseTable } from './phrase-table.ts'

/** What people call the things that tools do and handle, in German. */
export const GERMAN: PhraseTable = {
  language: 'german',
  smallWords: `
der die das den dem des ein eine einen einem einer eines und oder aber sondern nicht kein keine keinen nichts
ich du er sie es wir ihr mich mir dich dir sich uns euch mein meine meinen meinem meiner meines dein deine deinen sein seine seinen ihre ihren ihrem unser unsere unseren
bitte kann kannst können könnte könntest möchte möchten will willst wollen soll sollte sollen muss müssen darf dürfen würde
ist sind bin war waren wird werden wurde worden hat haben habe hast hatte gibt gab es lass lassen brauche brauchen liegt
was wer wen wem wie wo wann warum wieso wohin woher welche welcher welches welchen welchem viel viele vielen
für mit von vom zu zum zur in im ins an am ans auf aus bei beim bis durch gegen ohne um unter über nach vor zwischen seit wegen als wenn dass ob
noch mal auch nur schon sehr hier da dort dann dies diese dieser dieses diesen diesem jene jede jeder jedes jeden jemand jemandem jemanden etwas man so mehr mehrere einige acht
`,
  phrases: `
create/add/make erstellen anlegen erzeugen machen einrichten ausstellen
new neu neue neuen neues neuer
add/append hinzufügen ergänzen eintragen zufügen beifügen
insert einfügen
update/change aktualisieren
change/edit/update ändern bearbeiten anpassen verändern editieren änderung
delete/remove löschen entfernen lösche löscht vernichten wegwerfen
list/show auflisten aufzählen liste gibt_es
show/view/display anzeigen zeigen ansehen anschauen darstellen einsehen
get/fetch holen abrufen abfragen bekommen erhalten beschaffen rufe hol
search/find suchen durchsuchen suche recherchieren
find finden ermitteln auffinden herausfinden fand gefunden
read lesen liest lies auslesen vorlesen lädt_vor
write schreiben schreib verfassen schrieb geschrieben
send senden schicken verschicken versenden abschicken zusenden absenden sende gesandt
receive empfangen erhalten
open öffnen aufmachen eröffnen geöffnet offen
close schließen beenden zumachen geschlossen schließ
start/run starten beginnen anfangen anlassen starte
stop stoppen anhalten beenden abbrechen
restart/rerun neustart neustarten neu_starten wiederholen noch_einmal_starten noch_einmal
run/execute ausführen laufen laufenlassen durchführen
cancel absagen stornieren abbrechen kündigen abbestellen kündigung
move verschieben bewegen verlegen umziehen verschiebe verschoben
rename umbenennen benenne benennen
copy kopieren kopie duplizieren
paste einfügen
save/store speichern sichern abspeichern ablegen
load laden
upload hochladen lade_hoch
download herunterladen runterladen lade_herunter downloaden
import/load importieren einlesen
export exportieren ausgeben ausfuhr
convert umwandeln konvertieren umrechnen wandeln wechseln
translate übersetzen übersetzung übersetze übersetzt
summarize/summary zusammenfassen zusammenfassung
analyze/analysis analysieren analyse auswerten auswertung
check/verify prüfen überprüfen kontrollieren nachsehen checken
review überprüfung begutachten durchsicht prüfung
test testen test getestet
validate validieren
compare vergleichen vergleich
calculate/compute berechnen ausrechnen rechnen
count zählen anzahl
sort sortieren ordnen
filter filtern
merge/combine zusammenführen vereinigen zusammenlegen verbinden mergen verschmelzen
split teilen aufteilen trennen
compress/archive/zip komprimieren packen verpacken zippen einpacken
extract extrahieren entpacken herausziehen auslesen
link/connect verknüpfen verbinden verlinken
connect verbinden anschließen
disconnect trennen
share teilen freigeben freigabe
publish/release veröffentlichen publizieren freigeben herausgeben
invite einladen lade_ein einladung
invitation einladung
join beitreten teilnehmen
leave verlassen
assign/assignee zuweisen zuteilen zuordnen übertragen zuständig
approve genehmigen freigeben zustimmen genehmigt
reject ablehnen zurückweisen
accept annehmen akzeptieren zusagen
reply/answer/respond antworten beantworten antwort
forward weiterleiten weitergeben leite_weiter
comment kommentieren kommentar anmerkung
notify/alert benachrichtigen informieren verständigen
notification benachrichtigung
remind/reminder erinnern erinnerung erinnere
schedule/event/calendar planen terminieren ansetzen vereinbaren
plan planen plan
book/reserve buchen reservieren buchung reservierung
order bestellen bestellung auftrag
buy/purchase kaufen einkaufen kauf
sell/sale verkaufen verkauf
pay/payment bezahlen zahlen zahlung bezahlung
refund/return erstatten rückerstatten zurückzahlen rückerstattung zurückgeben erstattung
return zurückgeben zurücksenden zurückkehren zurück gib_zurück
subscribe/subscription abonnieren
unsubscribe/cancel abbestellen
register/create registrieren anmelden eintragen
login/signin einloggen anmelden anmeldung
logout abmelden ausloggen
enable/activate einschalten aktivieren anschalten
disable/deactivate ausschalten deaktivieren abschalten
set/configure setzen einstellen festlegen konfigurieren
reset zurücksetzen
restore/revert wiederherstellen
undo/rollback/revert rückgängig zurückrollen zurücksetzen
backup/dump sichern sicherung sicherungskopie datensicherung backup
sync synchronisieren abgleichen
install installieren
deploy/deployment bereitstellen ausrollen bereitstellung
build bauen build
fix/repair reparieren beheben korrigieren
debug debuggen fehlersuche
report melden berichten bericht
track verfolgen nachverfolgen
monitor überwachen überwachung
record/log aufzeichnen erfassen protokollieren verbuchen buchen festhalten notieren
capture aufnehmen
draw zeichnen
print drucken ausdrucken
scan scannen
click klicken anklicken
fill+form ausfüllen
type/input eingeben tippen
submit abschicken einreichen absenden
select auswählen wählen
wait warten
play abspielen spielen
ask fragen bitten
request anfordern beantragen anfragen bitten antrag anfrage bitte
call anrufen anruf telefonieren
speak/speech sprechen sprache
transcribe transkribieren verschriftlichen
recognize erkennen
detect erkennen feststellen
predict/forecast vorhersagen prognose
recommend empfehlen empfehlung
generate generieren erzeugen
describe beschreiben beschreibung
explain erklären erläutern
encrypt verschlüsseln
scale skalieren
increase erhöhen steigern vergrößern
decrease/reduce verringern senken reduzieren
resize/scale verkleinern vergrößern skalieren
crop/resize zuschneiden beschneiden
mute/silence stummschalten stumm
acknowledge bestätigen quittieren
confirm bestätigen
transfer überweisen übertragen überweisung
navigate/open aufrufen navigieren besuchen
browse stöbern durchblättern
clean/clear aufräumen leeren bereinigen
react/reaction reagieren reaktion
vote abstimmen
follow folgen
learn lernen
estimate schätzen abschätzen
file datei dateien
folder/directory ordner verzeichnis
document dokument unterlage schriftstück
text text texte
page seite seiten webseite
image/photo/picture bild bilder foto abbildung grafik
photo/image foto fotos
screenshot bildschirmfoto screenshot bildschirmaufnahme
screen bildschirm
background hintergrund
video video film
audio/recording ton aufnahme tonaufnahme audio
voice/speech stimme sprachausgabe laut
music musik
song lied
movie film
message nachricht botschaft mitteilung
email/mail mail e_mail email mails e_mails post elektronische_post
inbox posteingang postfach
mailbox postfach briefkasten
draft entwurf
attachment anhang anlage dateianhang
subject betreff
sender absender
recipient empfänger
unread ungelesen
spam spam
signature unterschrift signatur
conversation/thread unterhaltung gespräch verlauf
channel kanal kanäle
chat/message chat
member mitglied
user benutzer nutzer anwender
person/people person leute mensch jemand
participant/attendee teilnehmer
team team mannschaft
group gruppe gruppieren
colleague kollege kollegen mitarbeiter
employee mitarbeiter angestellter
manager chef vorgesetzter leiter
owner besitzer eigentümer
author autor verfasser
customer/client kunde kunden kundin kundschaft
contact kontakt ansprechpartner
address+book/contact adressbuch
company firma unternehmen betrieb
organization organisation
phone telefon telefonnummer handy
address adresse anschrift
name name namen
account konto benutzerkonto
password passwort kennwort
permission/access berechtigung zugriff rechte erlaubnis
access zugriff zugang
role rolle
profile profil
status status zustand stand
presence/status anwesenheit
auto/office+reply abwesenheit abwesenheitsnotiz
calendar kalender
event ereignis veranstaltung
meeting/event besprechung treffen sitzung meeting konferenz
appointment/event termin termine verabredung
meeting+room besprechungsraum konferenzraum sitzungszimmer besprechungszimmer
room raum zimmer
free/available frei
time+slot/availability zeitfenster zeit
time zeit uhrzeit
hour/time stunde
date datum
day tag tage
week woche wochen wochenende
month monat
year jahr
today heute
tomorrow morgen
yesterday gestern
period zeitraum
deadline/due frist fälligkeit
reminder erinnerung
holiday/leave urlaub ferien
task/issue aufgabe aufgaben
issue/ticket ticket vorgang störung
bug/issue/error fehler bug defekt
problem/issue problem
error fehler fehlermeldung
project projekt
sprint sprint
goal ziel
priority priorität dringlichkeit
label/tag etikett schlagwort kennzeichnung
work/time+spent arbeit arbeitszeit
log+work arbeitszeit arbeitsstunden
done/completed erledigt fertig abgeschlossen
pending/open offen ausstehend
branch zweig
repository repository projektarchiv
commit commit änderungssatz
pull+request pull_request änderungsantrag merge_request
fork abspaltung
code code quelltext quellcode programmcode
source+code quelltext quellcode
diff/changes unterschied unterschiede
line zeile zeilen
function funktion
version/release version ausgabe
release veröffentlichung
tag tag
note notiz notizen
history verlauf historie geschichte
workflow/pipeline arbeitsablauf ablauf
failed fehlgeschlagen gescheitert
job auftrag job
database datenbank
table tabelle tabellen
column spalte spalten
row/record zeile datensatz
query/statement abfrage anfrage
schema schema
index index
data daten angaben
type typ typen art
key schlüssel
value wert
slow langsam langsamste
fast/quick schnell schnellste
website/url/page webseite website internetseite
web web internet netz
link/url link verweis verknüpfung
browser browser
tab registerkarte
button knopf schaltfläche taste
form formular
field/input feld eingabefeld
cookie cookie
element element
script skript
server server
service/workload dienst dienste
machine maschine rechner
computer rechner computer
container/pod container
cluster cluster
node knoten
replica replikat replikate
deployment bereitstellung
command befehl kommando
log protokoll protokolle log logdatei
alert warnung warnungen alarm alarme
rule regel regeln
threshold schwellwert grenzwert schwelle
metric kennzahl messwert metrik
incident/outage vorfall störung ausfall
maintenance wartung
oncall/engineer bereitschaft
downtime ausfall ausfallzeit
uptime/status verfügbarkeit erreichbar erreichbarkeit
performance leistung
memory speicher arbeitsspeicher gedächtnis
storage speicher ablage
object objekt
bucket eimer
secret/credential geheimnis zugangsdaten
certificate zertifikat
network netzwerk netz
device gerät geräte
application/app anwendung programm app
system system
setting/configuration einstellung einstellungen konfiguration
environment umgebung umwelt
temporary vorübergehend zeitweilig temporär befristet
permanent endgültig dauerhaft
trash/delete papierkorb müll
size größe umfang
width breite
height höhe
content inhalt inhalte
metadata/info metadaten
information/info information auskunft informationen
detail einzelheit detail
title titel überschrift
list liste
archive archiv
template vorlage
wiki/page wiki
article artikel beitrag
news nachrichten neuigkeiten
book buch bücher
chapter kapitel
question frage
answer antwort
language sprache sprachen
english/language englisch englische
german/language deutsch deutsche
french/language französisch französische
spanish/language spanisch spanische
japanese/language japanisch japanische
word wort wörter
sentence satz
spelling rechtschreibung
summary zusammenfassung kurzfassung
long lang langes langer
invoice rechnung rechnungen
receipt quittung beleg kassenbon
bill/pay rechnung
money/payment/fund geld
price preis preise kosten
cheap/price billig günstig preiswert
cost kosten
discount/coupon rabatt ermäßigung nachlass gutschein
amount betrag summe menge
currency/convert währung devisen
euro/currency euro
dollar/currency dollar
balance/account kontostand saldo guthaben
bank bank
transaction transaktion buchung umsatz umsätze kontobewegung
subscription abonnement abo mitgliedschaft
plan/subscription tarif
credit+card kreditkarte
tax steuer mehrwertsteuer umsatzsteuer
expense ausgabe spesen auslage
salary gehalt lohn
revenue/sales umsatz einnahmen
deal/sales geschäft abschluss verkaufschance
lead interessent
sales+pipeline vertrieb vertriebspipeline
contract vertrag
stock/share aktie aktien
inventory/stock lager bestand lagerbestand
product produkt ware artikel
shop/store laden geschäft
cart warenkorb
package/parcel paket sendung päckchen lieferung
delivery/shipment lieferung zustellung versand
duplicate doppelt doppelte duplikat dublette
weather/forecast wetter regen regnet regnen schneit sonne
weather+forecast wettervorhersage wetterbericht
temperature temperatur
air+quality luftqualität luft
flight flug flüge flugzeug fliegen
hotel hotel unterkunft
train/route zug bahn bahnhof
car auto wagen
restaurant restaurant gaststätte
pharmacy/nearby apotheke
nearby nähe nächste umgebung
place/location ort standort platz
city stadt
country land
map karte landkarte stadtplan
route/direction weg route strecke wegbeschreibung
distance entfernung abstand
coordinate koordinate
travel/trip reise reisen
visa/passport visum reisepass einreise
ticket/flight fahrkarte
game spiel
recipe rezept
food essen lebensmittel
health gesundheit
doctor arzt
school schule
course kurs lehrgang
player spieler
market markt
model modell
statistics statistik
chart/graph diagramm
number nummer zahl anzahl
percentage prozent
color farbe
category kategorie
review/rating bewertung rezension
token zugangstoken
policy richtlinie
law gesetz recht
security sicherheit
space/workspace arbeitsbereich
board tafel brett
card karte
point punkt
result ergebnis ergebnisse
example beispiel
step schritt
change änderung änderungen
revision/version fassung revision
previous/earlier vorherig vorige früher alte
old alt alte alten altes
last/latest/recent letzte letzten zuletzt neueste
next nächste nächsten
all alle alles
active/firing aktiv aktive
private privat private privaten
public öffentlich
automatic/auto automatisch
first erste ersten
monthly monatlich
daily täglich
aloud/speech vorlesen
language+detect spracherkennung
recognize/ocr+text texterkennung
incoming eingehend eingehende
responsible verantwortlich zuständig
open/create eröffnen aufmachen
payslip/salary gehaltsabrechnung lohnabrechnung
statement kontoauszug auszug
post/publish posten veröffentlichen
ship/shipment versenden liefern
lend/loan kredit darlehen leihen
interest zins zinsen
insurance versicherung
budget budget haushalt
donation spende spenden
wallet geldbörse brieftasche
cryptocurrency/crypto kryptowährung
trade handeln handel
asset vermögen
exchange+rate wechselkurs
house/property haus immobilie wohnung
rent miete mieten
campaign kampagne
advertisement/ad werbung anzeige
keyword suchbegriff stichwort schlüsselwort
survey/poll umfrage
presentation/slide präsentation folie
spreadsheet/sheet tabellenkalkulation tabellenblatt
cell zelle
formula formel
dashboard übersicht
property eigenschaft
parameter parameter
variable variable
dependency abhängigkeit
library bibliothek
vulnerability schwachstelle sicherheitslücke
virus/malware virus schadsoftware
domain domäne
port anschluss
qr+code qr_code
barcode strichcode
font schriftart schrift
design entwerfen gestaltung
layout anordnung
subtitle untertitel
podcast/episode folge
playlist wiedergabeliste
album album
artist künstler
lyrics liedtext
poem gedicht
joke witz
quote zitat angebot
camera kamera
light licht lampe
door tür
lock sperren schloss abschließen
unlock entsperren aufschließen
battery batterie akku
sensor sensor fühler
bus bus
traffic verkehr stau
parking parkplatz parken
airport flughafen
station station haltestelle
arrival ankunft ankommen
departure abfahrt abflug
timezone/time zeitzone
timer/alarm wecker
birthday geburtstag
gift geschenk
concert/event konzert
museum museum
sport sport
match/score spielstand ergebnis
league liga
job/career stelle arbeitsplatz beruf
resume/cv lebenslauf
candidate/applicant bewerber kandidat
interview vorstellungsgespräch
student schüler student
teacher lehrer
exam/quiz prüfung
patient patient
medicine/drug medikament arznei
exercise/workout übung training
nutrition/calorie nährwert kalorien
animal tier
plant pflanze
earthquake erdbeben
moon mond
math/equation mathematik gleichung
solve lösen
random zufällig zufall
length länge
weight gewicht
unit einheit
average durchschnitt
total gesamt summe insgesamt
trend trend entwicklung
research/paper forschung
paper aufsatz papier
definition/dictionary definition wörterbuch bedeutung
grammar/spelling grammatik
opportunity/deal gelegenheit
feedback rückmeldung
support unterstützung hilfe
feature merkmal
request+api/endpoint schnittstelle
session sitzung
cache zwischenspeicher
queue warteschlange
process prozess vorgang
thread/conversation faden
mention erwähnen erwähnung
block sperren blockieren
kill/stop abschießen beenden
attach anhängen beilegen
highlight hervorheben markieren
mark markieren kennzeichnen
replace ersetzen austauschen
collect sammeln
measure messen
expire ablaufen verfallen
renew verlängern erneuern
postpone/reschedule/update verschieben verlegen vertagen
available/uptime/availability verfügbar erreichbar
purchase+order bestellschein
show/view zeig sieh
start angefangen
request/ask angefragt
choose/select gewählt
add füge füg
put/set stelle stellen legen lege
switch schalten schalte umschalten
use benutzen verwenden nutzen
associate/link zuordnen
manage verwalten verwaltung
handle/process verarbeiten verarbeitung
simulate simulieren
optimize optimieren
visualize/chart visualisieren
evaluate bewerten auswerten beurteilen
tool werkzeug
activity aktivität tätigkeit
vehicle fahrzeug
supplier/provider lieferant anbieter
agency agentur
guide anleitung leitfaden führer
manual/documentation handbuch dokumentation
passenger fahrgast passagier
season saison jahreszeit
region region gebiet
district bezirk
street/address straße
identifier/id kennung
range bereich spanne
quantity/amount menge stückzahl
quality qualität
speed geschwindigkeit
energy energie strom
water wasser
knowledge wissen kenntnis
topic thema
idea idee
decision entscheidung
requirement anforderung
risk risiko
quarter quartal
profit gewinn
loss verlust
accounting/ledger buchhaltung
warehouse lagerhaus
material material stoff
voucher/coupon gutschein gutscheincode
offer/quote angebot kostenvoranschlag
advice rat ratschlag
complaint/issue beschwerde reklamation
`,
}
