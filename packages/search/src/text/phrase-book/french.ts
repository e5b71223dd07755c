import type { PhraseTable } from './phrase-table.ts'

/** What people call the things that tools do and handle, in French. */
export const FRENCH: PhraseTable = {
  language: 'french',
  smallWords: `
le la les l un une des du de d et ou mais ni ne n pas rien ce c cet cette ces cela ça ceci
je j tu il elle on nous vous ils elles me m te t se s moi toi lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos y en
est es suis sont sera être était as a avons avez ont avoir eu peux peut pouvez pouvoir pourriez veux veut voudrais vouloir dois doit devoir faut
que qu qui quoi dont où quand comment pourquoi quel quelle quels quelles combien
à au aux dans sur sous pour par avec sans chez vers entre depuis pendant avant après contre comme si plus moins très tout toute aussi encore déjà ici là il_y_a
svp merci bonjour besoin aide aider propre
`,
  phrases: `
create/add/make créer établir faire fais
new nouveau nouvelle nouvel nouveaux
add/append ajouter
insert insérer
update/change actualiser mettre_à_jour mise_à_jour
change/edit/update modifier changer éditer modification changement
delete/remove supprimer effacer enlever retirer suppression
list/show lister énumérer liste y_a_t_il
show/view/display afficher montrer voir visualiser consulter
get/fetch obtenir récupérer obtient obtiens récupère
search/find chercher rechercher recherche
find trouver retrouver trouvé
read lire lis lecture lit lisez
write écrire rédiger écris écrit écrivez
send envoyer expédier envoi envoie envoies
receive recevoir reçu
open ouvrir ouvert ouvre
close fermer clore clôturer clos
start/run démarrer lancer commencer
stop arrêter stopper
restart/rerun redémarrer relancer
run/execute exécuter lancer exécution
cancel annuler résilier annulation
move déplacer bouger déplacé
rename renommer
copy copier copie dupliquer
paste coller
save/store sauvegarder enregistrer sauver
load charger
upload téléverser téléverse mettre_en_ligne
download télécharger téléchargement
import/load importer importation
export exporter exportation
convert convertir transformer conversion
translate traduire traduction traduis traduit traduisez
summarize/summary résumer résumé synthèse
analyze/analysis analyser analyse
check/verify vérifier contrôler vérification
review revue relecture examiner relire
test tester test essai essaie essayer
validate valider validation
compare comparer comparaison
calculate/compute calculer calcul
count compter compte
sort trier tri
filter filtrer filtre
merge/combine fusionner combiner fusion
split diviser séparer découper
compress/archive/zip compresser compression
extract extraire extraction
link/connect relier lier associer
connect connecter connexion
disconnect déconnecter
share partager partage
publish/release publier publication diffuser
invite inviter invitation invité
invitation invitation
join rejoindre
leave quitter
assign/assignee attribuer assigner affecter confier
approve approuver approuvé valider
reject rejeter refuser
accept accepter
reply/answer/respond répondre réponse
forward transférer faire_suivre réexpédier
comment commenter commentaire
notify/alert notifier prévenir avertir aviser
notification notification
remind/reminder rappeler rappel rappelle
schedule/event/calendar planifier programmer
plan planifier plan
book/reserve réserver réservation
order commander commande
buy/purchase acheter achat
sell/sale vendre vente
pay/payment payer paiement règlement
refund/return rembourser remboursement
return retourner rendre revenir rends renvoie renvoyer
subscribe/subscription abonner
unsubscribe/cancel désabonner
register/create inscrire enregistrer
login/signin connecter se_connecter connexion identifier
logout déconnecter
enable/activate activer allumer
disable/deactivate désactiver éteindre
set/configure définir régler configurer paramétrer
reset réinitialiser
restore/revert restaurer rétablir
undo/rollback/revert annuler revenir
backup/dump sauvegarder sauvegarde
sync synchroniser
install installer
deploy/deployment déployer déploiement
build construire compiler
fix/repair réparer corriger
debug déboguer
report signaler rapporter rapport compte_rendu
track suivre suivi
monitor surveiller surveillance
record/log enregistrer noter consigner
capture capturer
draw dessiner
print imprimer impression
scan scanner numériser
click cliquer clic
fill+form remplir
type/input saisir taper
submit soumettre
select sélectionner choisir
wait attendre
play jouer lire
ask demander
request demander solliciter demande requête
call appeler appel
speak/speech parler parole
transcribe transcrire transcription
recognize reconnaître
detect détecter déterminer
predict/forecast prévoir prédire prévision
recommend recommander recommandation
generate générer
describe décrire description
explain expliquer explication
encrypt chiffrer
scale mettre_à_l_échelle
increase augmenter
decrease/reduce diminuer réduire
resize/scale redimensionner agrandir rétrécir
crop/resize recadrer rogner
mute/silence couper silencier mettre_en_sourdine
acknowledge acquitter confirmer
confirm confirmer
transfer transférer virer virement
navigate/open naviguer visiter aller
browse parcourir naviguer
clean/clear nettoyer vider
react/reaction réagir réaction
vote voter
follow suivre
learn apprendre
estimate estimer
file fichier
folder/directory dossier répertoire
document document
text texte
page page
image/photo/picture image photo photographie
photo/image photo
screenshot capture_d_écran copie_d_écran
screen écran
background fond arrière_plan
video vidéo
audio/recording audio enregistrement son
voice/speech voix
music musique
song chanson
movie film
message message
email/mail courriel mail e_mail email courrier message_électronique mél
inbox boîte_de_réception
mailbox boîte_aux_lettres messagerie
draft brouillon
attachment pièce_jointe pièces_jointes
subject objet sujet
sender expéditeur
recipient destinataire
unread non_lu non_lus
spam indésirable
signature signature
conversation/thread conversation discussion fil
channel canal salon chaîne
chat/message chat clavardage
member membre
user utilisateur
person/people personne gens quelqu_un
participant/attendee participant
team équipe
group groupe grouper regrouper
colleague collègue
employee employé salarié
manager chef responsable patron
owner propriétaire
author auteur
customer/client client cliente
contact contact
address+book/contact carnet_d_adresses
company entreprise société
organization organisation
phone téléphone
address adresse
name nom
account compte
password mot_de_passe
permission/access permission autorisation accès droit
access accès
role rôle
profile profil
status statut état
presence/status présence
auto/office+reply absence message_d_absence réponse_automatique
calendar calendrier agenda
event événement
meeting/event réunion rencontre
appointment/event rendez_vous
meeting+room salle_de_réunion
room salle chambre pièce
free/available libre
time+slot/availability créneau créneaux disponibilité
time temps heure
hour/time heure
date date
day jour journée
week semaine
month mois
year année an
today aujourd_hui
tomorrow demain
yesterday hier
period période
deadline/due échéance délai
reminder rappel
holiday/leave vacances congé
task/issue tâche
issue/ticket ticket
bug/issue/error bogue bug erreur
problem/issue problème souci
error erreur
project projet
sprint sprint
goal but objectif
priority priorité
label/tag étiquette libellé
work/time+spent travail temps_passé
log+work temps_passé
done/completed terminé fini achevé
pending/open en_attente en_cours
branch branche
repository dépôt référentiel
commit commit valider
pull+request demande_de_fusion demande_de_tirage pull_request
fork bifurcation
code code
source+code code_source
diff/changes différence différences
line ligne
function fonction
version/release version
release publication
tag étiquette
note note remarque
history historique histoire
workflow/pipeline flux workflow pipeline
failed échoué
job tâche travail
database base_de_données bdd
table table tableau
column colonne
row/record ligne enregistrement
query/statement requête interrogation
schema schéma
index index indice
data données
type type genre
key clé clef
value valeur
slow lent lente
fast/quick rapide vite
website/url/page site site_web page_web
web web internet
link/url lien
browser navigateur
tab onglet
button bouton
form formulaire
field/input champ
cookie cookie témoin
element élément
script script
server serveur
service/workload service
machine machine
computer ordinateur
container/pod conteneur
cluster grappe
node nœud noeud
replica réplique répliques
deployment déploiement
command commande
log journal journaux
alert alerte alarme
rule règle
threshold seuil
metric métrique mesure
incident/outage panne incident
maintenance maintenance entretien
oncall/engineer astreinte ingénieur
downtime interruption indisponibilité
uptime/status disponibilité en_ligne
performance performance
memory mémoire
storage stockage
object objet
bucket compartiment
secret/credential secret identifiants
certificate certificat
network réseau
device appareil dispositif
application/app application programme appli
system système
setting/configuration paramètre réglage configuration
environment environnement
temporary temporaire provisoire
permanent définitif définitivement permanent
trash/delete corbeille poubelle
size taille
width largeur
height hauteur
content contenu
metadata/info métadonnées
information/info information renseignement infos
detail détail
title titre
list liste
archive archive
template modèle gabarit
wiki/page wiki
article article
news nouvelles actualités
book livre
chapter chapitre
question question
answer réponse
language langue langage
english/language anglais
german/language allemand
french/language français
spanish/language espagnol
japanese/language japonais
word mot
sentence phrase
spelling orthographe
summary résumé sommaire
long long longue
invoice facture
receipt reçu ticket_de_caisse
bill/pay facture addition
money/payment/fund argent
price prix tarif
cheap/price bon_marché pas_cher économique
cost coût frais
discount/coupon réduction remise promo rabais
amount montant somme quantité
currency/convert devise monnaie
euro/currency euro
dollar/currency dollar
balance/account solde
bank banque
transaction transaction opération mouvement
subscription abonnement
plan/subscription formule forfait
credit+card carte_de_crédit carte_bancaire
tax impôt taxe tva
expense dépense frais
salary salaire paie
revenue/sales revenu chiffre_d_affaires
deal/sales affaire vente
lead prospect piste
sales+pipeline pipeline_commercial
contract contrat
stock/share action bourse
inventory/stock stock inventaire
product produit
shop/store magasin boutique
cart panier
package/parcel colis paquet
delivery/shipment livraison expédition
duplicate doublon en_double double
weather/forecast météo temps_qu_il_fait pleuvoir pleut pluie neige
weather+forecast prévisions_météo prévision_météo bulletin_météo
temperature température
air+quality qualité_de_l_air pollution
flight vol avion
hotel hôtel hébergement
train/route train gare
car voiture
restaurant restaurant
pharmacy/nearby pharmacie
nearby proche près à_proximité proximité
place/location lieu endroit emplacement
city ville
country pays
map carte plan
route/direction itinéraire chemin trajet route
distance distance
coordinate coordonnées
travel/trip voyage voyager
visa/passport visa passeport
ticket/flight billet
game jeu
recipe recette
food nourriture aliment
health santé
doctor médecin
school école
course cours formation
player joueur
market marché
model modèle
statistics statistique
chart/graph graphique diagramme
number nombre numéro chiffre
percentage pourcentage
color couleur
category catégorie
review/rating avis évaluation note
token jeton
policy politique
law loi droit
security sécurité
space/workspace espace espace_de_travail
board tableau
card carte
point point
result résultat
example exemple
step étape
change changement modification
revision/version révision
previous/earlier précédent précédente ancien
old vieux ancien
last/latest/recent dernier dernière récent
next prochain suivant
all tout tous toutes
active/firing actif active
private privé privée
public public publique
automatic/auto automatique automatiquement
first premier première
monthly mensuel mensuelle
daily quotidien
aloud/speech à_haute_voix haute_voix
language+detect détection_de_langue
recognize/ocr+text reconnaissance_de_texte
incoming entrant entrants
responsible responsable
open/create ouvrir
payslip/salary fiche_de_paie bulletin_de_salaire
statement relevé
post/publish poster publier
ship/shipment expédier livrer
lend/loan prêt emprunt crédit
interest intérêt
insurance assurance
budget budget
donation don faire_un_don
wallet portefeuille
cryptocurrency/crypto cryptomonnaie crypto
trade négocier commerce
asset actif patrimoine
exchange+rate taux_de_change
house/property maison immobilier appartement logement
rent loyer louer location
campaign campagne
advertisement/ad publicité annonce
keyword mot_clé
survey/poll sondage enquête
presentation/slide présentation diapositive
spreadsheet/sheet feuille_de_calcul tableur
cell cellule
formula formule
dashboard tableau_de_bord
property propriété
parameter paramètre
variable variable
dependency dépendance
library bibliothèque
vulnerability vulnérabilité faille
virus/malware virus logiciel_malveillant
domain domaine
port port
qr+code code_qr
barcode code_barres
font police
design conception concevoir
layout mise_en_page
subtitle sous_titre
podcast/episode épisode balado
playlist liste_de_lecture
album album
artist artiste
lyrics paroles
poem poème
joke blague
quote citation devis
camera caméra appareil_photo
light lumière lampe
door porte
lock verrouiller serrure
unlock déverrouiller
battery batterie
sensor capteur
bus bus autobus
traffic trafic circulation
parking parking stationnement
airport aéroport
station station arrêt
arrival arrivée
departure départ
timezone/time fuseau_horaire
timer/alarm minuteur réveil
birthday anniversaire
gift cadeau
concert/event concert
museum musée
sport sport
match/score score
league ligue
job/career emploi poste
resume/cv cv curriculum
candidate/applicant candidat
interview entretien
student élève étudiant
teacher professeur enseignant
exam/quiz examen
patient patient
medicine/drug médicament
exercise/workout exercice entraînement
nutrition/calorie nutrition calories
animal animal
plant plante
earthquake séisme tremblement_de_terre
moon lune
math/equation mathématiques équation
solve résoudre
random aléatoire hasard
length longueur
weight poids
unit unité
average moyenne
total total
trend tendance
research/paper recherche_scientifique
paper papier article
definition/dictionary définition dictionnaire
grammar/spelling grammaire
opportunity/deal opportunité
feedback retour commentaires
support assistance
feature fonctionnalité
request+api/endpoint interface_de_programmation
session session séance
cache cache
queue file_d_attente
process processus
thread/conversation fil_de_discussion
mention mentionner mention
emoji/reaction émoticône
hashtag/tag mot_dièse
block bloquer
kill/stop tuer
attach joindre attacher
highlight surligner
mark marquer
replace remplacer
collect collecter recueillir
measure mesurer
expire expirer
renew renouveler prolonger
postpone/reschedule/update reporter décaler
available/uptime/availability disponible
purchase+order bon_de_commande
show/view vois voit montre
start commencé
request/ask demandé
choose/select choisis choisit
put/set mettre mets met
switch basculer commuter
use utiliser
associate/link associer
manage gérer gestion
handle/process traiter traitement
simulate simuler
optimize optimiser
visualize/chart visualiser
evaluate évaluer
tool outil
activity activité
vehicle véhicule
supplier/provider fournisseur
agency agence
guide guide
manual/documentation manuel documentation
passenger passager
season saison
region région
district quartier arrondissement
street/address rue
identifier/id identifiant
range plage intervalle
quantity/amount quantité
quality qualité
speed vitesse
energy énergie électricité
water eau
knowledge connaissance savoir
topic sujet thème
idea idée
decision décision
requirement exigence
risk risque
quarter trimestre
profit bénéfice profit
loss perte
accounting/ledger comptabilité
warehouse entrepôt
material matériel matière
voucher/coupon bon_d_achat code_promo
offer/quote offre devis
advice conseil
complaint/issue plainte réclamation
`,
}
