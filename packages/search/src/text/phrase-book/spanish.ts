import type { PhraseTable } from './phrase-table.ts'

/** What people call the things that tools do and handle, in Spanish. */
export const SPANISH: PhraseTable = {
  language: 'spanish',
  smallWords: `
el la los las lo un una unos unas de del y e o u pero no ni nada este esta estos estas ese esa esos esas aquel esto eso
yo tú tu él ella nosotros vosotros ellos ellas usted ustedes me te se nos os le les mi mis tus su sus nuestro nuestra conmigo
es soy son era está están estoy ser estar hay ha he han haber tengo tiene tener puedo puede puedes poder quiero quiere querer quisiera debo debe deber necesito necesita necesitar hará
que qué quien quién cual cuál cuáles cuando cuándo donde dónde como cómo porque cuanto cuánto cuántos
a al en con por para sin sobre entre desde hasta hacia contra según durante antes después si más menos muy todo toda todos todas también otro otra otros otras ya aquí ahora favor
`,
  phrases: `
create/add/make crear hacer haz emitir generar
new nuevo
add/append añadir agregar sumar
insert insertar
update/change actualizar
change/edit/update cambiar editar modificar cambio
delete/remove eliminar borrar quitar suprimir
list/show listar lista enumerar
show/view/display mostrar ver visualizar enseñar muestra muéstrame
get/fetch obtener conseguir recuperar traer obtiene obtén obtenga consulta_de
search/find buscar búsqueda busca
find encontrar hallar encuentra encuentre
read leer lectura lee lea
write escribir redactar escribe
send enviar mandar envío envía envíe
receive recibir
open abrir abierto abre
close cerrar cierra cierre
start/run iniciar empezar comenzar arrancar
stop detener parar
restart/rerun reiniciar relanzar
run/execute ejecutar correr ejecución
cancel cancelar anular cancelación
move mover trasladar desplazar mueve mueva
rename renombrar
copy copiar copia duplicar
paste pegar
save/store guardar almacenar grabar
load cargar
upload subir cargar
download descargar bajar descarga
import/load importar
export exportar
convert convertir transformar cambiar
translate traducir traducción traduce traduzca
summarize/summary resumir resumen
analyze/analysis analizar análisis
check/verify comprobar verificar revisar
review revisar revisión
test probar prueba pruebe
validate validar
compare comparar comparación
calculate/compute calcular cálculo
count contar
sort ordenar
filter filtrar filtro
merge/combine fusionar combinar unir fusión
split dividir separar partir
compress/archive/zip comprimir compactar
extract extraer extracción
link/connect vincular enlazar conectar relacionar
connect conectar conexión
disconnect desconectar
share compartir
publish/release publicar publicación
invite invitar invitación invitado
invitation invitación
join unirse
leave salir abandonar
assign/assignee asignar adjudicar
approve aprobar aprobado autorizar
reject rechazar
accept aceptar
reply/answer/respond responder contestar respuesta
forward reenviar
comment comentar comentario
notify/alert notificar avisar
notification notificación aviso
remind/reminder recordar recordatorio recuérdame acordarse
schedule/event/calendar programar planificar agendar
plan planear plan planificar
book/reserve reservar reserva
order pedir pedido encargar
buy/purchase comprar compra
sell/sale vender venta
pay/payment pagar pago
refund/return reembolsar devolver reembolso devolución
return devolver volver regresar vuelve retorna retornar
subscribe/subscription suscribir
unsubscribe/cancel desuscribir
register/create registrar inscribir
login/signin iniciar_sesión acceder
logout cerrar_sesión
enable/activate activar encender habilitar
disable/deactivate desactivar apagar deshabilitar
set/configure establecer configurar fijar ajustar poner
reset restablecer resetear
restore/revert restaurar
undo/rollback/revert deshacer revertir
backup/dump respaldar respaldo copia_de_seguridad
sync sincronizar
install instalar
deploy/deployment desplegar despliegue
build construir compilar
fix/repair arreglar reparar corregir
debug depurar
report reportar informar informe reporte
track rastrear seguir seguimiento
monitor monitorizar vigilar supervisar
record/log registrar anotar apuntar
capture capturar
draw dibujar
print imprimir
scan escanear escaneado
click hacer_clic clicar pulsar pinchar
fill+form rellenar completar
type/input escribir introducir teclear
submit enviar presentar
select seleccionar elegir escoger
wait esperar
play reproducir jugar
ask preguntar pedir
request solicitar pedir solicitud petición
call llamar llamada
speak/speech hablar habla
transcribe transcribir
recognize reconocer
detect detectar
predict/forecast predecir pronosticar pronóstico
recommend recomendar
generate generar
describe describir descripción
explain explicar
encrypt cifrar encriptar
scale escalar
increase aumentar incrementar subir
decrease/reduce disminuir reducir bajar
resize/scale redimensionar achicar agrandar
crop/resize recortar
mute/silence silenciar
acknowledge confirmar reconocer
confirm confirmar
transfer transferir transferencia
navigate/open navegar visitar ir
browse explorar navegar
clean/clear limpiar vaciar
react/reaction reaccionar reacción
vote votar
follow seguir
learn aprender
estimate estimar
file archivo fichero
folder/directory carpeta directorio
document documento
text texto
page página
image/photo/picture imagen foto fotografía
photo/image foto
screenshot captura_de_pantalla pantallazo
screen pantalla
background fondo
video vídeo
audio/recording audio grabación sonido
voice/speech voz
music música
song canción
movie película
message mensaje
email/mail correo correo_electrónico email mail
inbox bandeja_de_entrada buzón
mailbox buzón
draft borrador
attachment adjunto archivo_adjunto
subject asunto
sender remitente
recipient destinatario
unread no_leído no_leídos sin_leer
spam spam
signature firma
conversation/thread conversación hilo
channel canal
chat/message chat
member miembro
user usuario
person/people persona gente alguien
participant/attendee participante asistente
team equipo
group grupo agrupar
colleague compañero colega
employee empleado
manager jefe gerente
owner propietario dueño
author autor
customer/client cliente
contact contacto
address+book/contact libreta_de_direcciones agenda
company empresa compañía
organization organización
phone teléfono telefónico móvil
address dirección domicilio
name nombre
account cuenta
password contraseña clave
permission/access permiso acceso derecho
access acceso
role rol papel
profile perfil
status estado estatus
presence/status presencia
auto/office+reply ausencia respuesta_automática fuera_de_la_oficina
calendar calendario agenda
event evento
meeting/event reunión junta encuentro
appointment/event cita
meeting+room sala_de_reuniones
room sala habitación cuarto
free/available libre
time+slot/availability hueco disponibilidad
time hora tiempo_libre
hour/time hora horas
date fecha
day día
week semana
month mes
year año
today hoy
tomorrow mañana
yesterday ayer
period periodo período
deadline/due plazo vencimiento
reminder recordatorio
holiday/leave vacaciones
task/issue tarea
issue/ticket incidencia tique
bug/issue/error error fallo bicho
problem/issue problema
error error
project proyecto
sprint sprint
goal objetivo meta
priority prioridad
label/tag etiqueta
work/time+spent trabajo trabajado
log+work horas_trabajadas
done/completed terminado hecho completado
pending/open pendiente
branch rama
repository repositorio
commit commit confirmar
pull+request solicitud_de_cambios solicitud_de_extracción pull_request petición_de_cambios
fork bifurcación
code código
source+code código_fuente
diff/changes diferencia diferencias
line línea fila
function función
version/release versión
release lanzamiento
tag etiqueta
note nota apunte
history historial historia
workflow/pipeline flujo pipeline
failed fallido fallado
job trabajo tarea
database base_de_datos
table tabla
column columna
row/record fila registro
query/statement consulta
schema esquema
index índice
data datos
type tipo
key clave llave
value valor
slow lento
fast/quick rápido
website/url/page sitio sitio_web página_web web
web web internet
link/url enlace vínculo
browser navegador
tab pestaña
button botón
form formulario
field/input campo
cookie cookie
element elemento
script script guion
server servidor
service/workload servicio
machine máquina
computer ordenador computadora
container/pod contenedor
cluster clúster
node nodo
replica réplica
deployment despliegue
command comando orden
log registro bitácora
alert alerta alarma
rule regla
threshold umbral
metric métrica
incident/outage incidente caída interrupción
maintenance mantenimiento
oncall/engineer guardia ingeniero
downtime interrupción
uptime/status disponibilidad
performance rendimiento
memory memoria
storage almacenamiento
object objeto
bucket cubo
secret/credential secreto credencial
certificate certificado
network red
device dispositivo aparato
application/app aplicación programa
system sistema
setting/configuration ajuste configuración
environment entorno ambiente
temporary temporal
permanent permanente para_siempre definitivamente
trash/delete papelera basura
size tamaño
width anchura ancho
height altura
content contenido
metadata/info metadatos
information/info información dato
detail detalle
title título
list lista
archive archivo_comprimido archivar
template plantilla
wiki/page wiki
article artículo
news noticias
book libro
chapter capítulo
question pregunta
answer respuesta
language idioma lengua lenguaje
english/language inglés
german/language alemán
french/language francés
spanish/language español
japanese/language japonés
word palabra
sentence frase oración
spelling ortografía
summary resumen
long largo
invoice factura
receipt recibo
bill/pay cuenta factura
money/payment/fund dinero
price precio
cheap/price barato económico
cost costo coste gasto
discount/coupon descuento rebaja cupón
amount importe cantidad monto
currency/convert moneda divisa
euro/currency euro
dollar/currency dólar
balance/account saldo
bank banco
transaction transacción movimiento operación
subscription suscripción abono
plan/subscription plan tarifa
credit+card tarjeta_de_crédito tarjeta
tax impuesto iva
expense gasto
salary salario sueldo nómina
revenue/sales ingreso ventas
deal/sales trato oportunidad negocio venta
lead cliente_potencial prospecto
sales+pipeline embudo_de_ventas
contract contrato
stock/share acción bolsa acciones
inventory/stock inventario existencias
product producto artículo
shop/store tienda
cart carrito
package/parcel paquete envío
delivery/shipment entrega envío
duplicate duplicado repetido
weather/forecast clima tiempo lluvia llover lloverá llueve
weather+forecast pronóstico_del_tiempo previsión_del_tiempo
temperature temperatura
air+quality calidad_del_aire contaminación
flight vuelo avión volar
hotel hotel alojamiento
train/route tren estación
car coche carro auto
restaurant restaurante
pharmacy/nearby farmacia
nearby cerca cercano
place/location lugar ubicación sitio
city ciudad
country país
map mapa plano
route/direction ruta camino trayecto
distance distancia
coordinate coordenada
travel/trip viaje viajar
visa/passport visado pasaporte visa
ticket/flight billete boleto pasaje
game juego
recipe receta
food comida alimento
health salud
doctor médico doctor
school escuela colegio
course curso
player jugador
market mercado
model modelo
statistics estadística
chart/graph gráfico diagrama
number número cifra
percentage porcentaje
color color
category categoría
review/rating reseña opinión valoración
token token ficha
policy política
law ley derecho
security seguridad
space/workspace espacio espacio_de_trabajo
board tablero
card tarjeta
point punto
result resultado
example ejemplo
step paso
change cambio
revision/version revisión versión
previous/earlier anterior previo
old viejo antiguo
last/latest/recent último reciente
next próximo siguiente
all todo todos
active/firing activo
private privado
public público
automatic/auto automático automáticamente
first primero
monthly mensual
daily diario
aloud/speech en_voz_alta
language+detect detección_de_idioma
recognize/ocr+text reconocimiento_de_texto
incoming entrante
responsible responsable
open/create abrir
payslip/salary nómina
statement extracto
post/publish publicar
ship/shipment despachar
lend/loan préstamo crédito
interest interés
insurance seguro
budget presupuesto
donation donación donar
wallet billetera cartera monedero
cryptocurrency/crypto criptomoneda
trade comerciar comercio
asset activo patrimonio
exchange+rate tipo_de_cambio
house/property casa inmueble vivienda piso
rent alquiler alquilar
campaign campaña
advertisement/ad anuncio publicidad
keyword palabra_clave
survey/poll encuesta
presentation/slide presentación diapositiva
spreadsheet/sheet hoja_de_cálculo
cell celda
formula fórmula
dashboard panel tablero
property propiedad
parameter parámetro
variable variable
dependency dependencia
library biblioteca
vulnerability vulnerabilidad
virus/malware virus
domain dominio
port puerto
qr+code código_qr
barcode código_de_barras
font fuente tipografía
design diseño diseñar
layout diseño maquetación
subtitle subtítulo
podcast/episode episodio
playlist lista_de_reproducción
album álbum
artist artista
lyrics letra
poem poema
joke chiste broma
quote cita_célebre cotización
camera cámara
light luz lámpara
door puerta
lock bloquear cerradura
unlock desbloquear
battery batería
sensor sensor
bus autobús
traffic tráfico
parking aparcamiento estacionamiento
airport aeropuerto
station estación parada
arrival llegada
departure salida
timezone/time zona_horaria huso_horario
timer/alarm temporizador despertador
birthday cumpleaños
gift regalo
concert/event concierto
museum museo
sport deporte
match/score marcador partido
league liga
job/career empleo puesto
resume/cv currículum
candidate/applicant candidato
interview entrevista
student alumno estudiante
teacher profesor maestro
exam/quiz examen
patient paciente
medicine/drug medicamento medicina
exercise/workout ejercicio entrenamiento
nutrition/calorie nutrición calorías
animal animal
plant planta
earthquake terremoto sismo
moon luna
math/equation matemáticas ecuación
solve resolver
random aleatorio azar
length longitud
weight peso
unit unidad
average promedio media
total total
trend tendencia
research/paper investigación
paper papel artículo
definition/dictionary definición diccionario significado
grammar/spelling gramática
opportunity/deal oportunidad
feedback comentarios retroalimentación
support soporte ayuda
feature característica funcionalidad
request+api/endpoint punto_de_acceso
session sesión
cache caché
queue cola
process proceso
thread/conversation hilo
mention mencionar mención
emoji/reaction emoticono
block bloquear
kill/stop matar
attach adjuntar
highlight resaltar
mark marcar
replace reemplazar sustituir
collect recoger recopilar
measure medir
expire caducar expirar vencer
renew renovar prorrogar
postpone/reschedule/update aplazar posponer
available/uptime/availability disponible
purchase+order orden_de_compra
show/view muestra muestre vea
start empieza comienza
request/ask pide pida
choose/select elige elija
put/set poner pon ponga
switch cambiar_a conmutar
use usar utilizar
associate/link asociar
manage gestionar administrar gestión
handle/process procesar tratar
simulate simular
optimize optimizar
visualize/chart visualizar
evaluate evaluar
tool herramienta
activity actividad
vehicle vehículo
supplier/provider proveedor
agency agencia
guide guía
manual/documentation manual documentación
passenger pasajero
season temporada estación_del_año
region región
district distrito barrio
street/address calle
identifier/id identificador
range rango intervalo
quantity/amount cantidad
quality calidad
speed velocidad
energy energía electricidad
water agua
knowledge conocimiento
topic tema
idea idea
decision decisión
requirement requisito
risk riesgo
quarter trimestre
profit beneficio ganancia
loss pérdida
accounting/ledger contabilidad
warehouse almacén
material material
voucher/coupon vale
offer/quote oferta presupuesto
advice consejo
complaint/issue queja reclamación
`,
}
