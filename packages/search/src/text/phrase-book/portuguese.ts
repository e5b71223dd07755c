import type { PhraseTable } from './phrase-table.ts'

/** What people call the things that tools do and handle, in Portuguese. */
export const PORTUGUESE: PhraseTable = {
  language: 'portuguese',
  smallWords: `
o a os as um uma uns umas de do da dos das e ou mas não nem nada este esta estes estas esse essa esses essas isto isso aquele aquela
eu tu ele ela nós vós eles elas você vocês me te se nos lhe lhes meu minha meus minhas teu tua seu sua seus suas nosso nossa
é és sou são era está estão estou ser estar há ter tenho tem têm posso pode podem poder quero quer querer gostaria devo deve preciso precisa precisar existe existem
que quê quem qual quais quando onde como porque quanto quantos
ao aos à às em no na nos nas num numa com por pelo pela para pra sem sobre entre desde até contra durante antes depois se mais menos muito todo toda todos todas também outro outra outros outras já aqui agora favor
`,
  phrases: `
create/add/make criar fazer faça emitir gerar
new novo nova
add/append adicionar acrescentar incluir
insert inserir
update/change atualizar actualizar
change/edit/update alterar mudar editar modificar mudança alteração
delete/remove apagar excluir remover eliminar deletar
list/show listar lista existem existe
show/view/display mostrar ver exibir visualizar
get/fetch obter pegar recuperar buscar obtém obtêm traz
search/find procurar pesquisar buscar pesquisa busca
find encontrar achar localizar encontre acha
read ler leia leitura lê
write escrever redigir escreve
send enviar mandar envio envie
receive receber
open abrir aberto abra
close fechar encerrar fecha
start/run iniciar começar
stop parar interromper
restart/rerun reiniciar
run/execute executar rodar execução
cancel cancelar cancelamento desmarcar
move mover deslocar mova
rename renomear
copy copiar cópia duplicar
paste colar
save/store salvar guardar gravar
load carregar
upload carregar subir
download baixar descarregar
import/load importar
export exportar
convert converter transformar
translate traduzir tradução traduz
summarize/summary resumir resumo
analyze/analysis analisar análise
check/verify verificar checar conferir
review revisar revisão
test testar teste
validate validar
compare comparar comparação
calculate/compute calcular cálculo
count contar
sort ordenar classificar
filter filtrar filtro
merge/combine mesclar fundir combinar unir juntar
split dividir separar
compress/archive/zip comprimir compactar
extract extrair
link/connect vincular ligar conectar associar
connect conectar conexão
disconnect desconectar
share compartilhar partilhar
publish/release publicar publicação
invite convidar convite
invitation convite
join entrar participar
leave sair
assign/assignee atribuir designar
approve aprovar aprovado
reject rejeitar recusar
accept aceitar
reply/answer/respond responder resposta
forward encaminhar reencaminhar
comment comentar comentário
notify/alert notificar avisar
notification notificação aviso
remind/reminder lembrar lembrete lembre
schedule/event/calendar agendar marcar programar planejar
plan planejar plano
book/reserve reservar reserva
order pedir pedido encomenda encomendar
buy/purchase comprar compra
sell/sale vender venda
pay/payment pagar pagamento
refund/return reembolsar devolver reembolso estornar
return retornar devolver voltar retorna
subscribe/subscription assinar inscrever
unsubscribe/cancel cancelar_inscrição
register/create registrar cadastrar inscrever
login/signin entrar login fazer_login iniciar_sessão
logout sair
enable/activate ativar ligar habilitar
disable/deactivate desativar desligar desabilitar
set/configure definir configurar ajustar
reset redefinir resetar
restore/revert restaurar
undo/rollback/revert desfazer reverter
backup/dump cópia_de_segurança
sync sincronizar
install instalar
deploy/deployment implantar implantação
build construir compilar
fix/repair consertar corrigir reparar
debug depurar
report reportar relatar relatório
track rastrear acompanhar
monitor monitorar vigiar
record/log registrar anotar
capture capturar
draw desenhar
print imprimir
scan digitalizar escanear
click clicar
fill+form preencher
type/input digitar inserir
submit enviar submeter
select selecionar escolher
wait esperar aguardar
play tocar reproduzir
ask perguntar pedir
request solicitar pedir requisitar pedido solicitação
call ligar chamar chamada ligação
speak/speech falar fala
transcribe transcrever
recognize reconhecer
detect detectar
predict/forecast prever previsão
recommend recomendar
generate gerar
describe descrever descrição
explain explicar
encrypt criptografar
scale escalar
increase aumentar
decrease/reduce diminuir reduzir
resize/scale redimensionar
crop/resize recortar cortar
mute/silence silenciar
acknowledge confirmar reconhecer
confirm confirmar
transfer transferir transferência
navigate/open navegar visitar acessar
browse navegar explorar
clean/clear limpar esvaziar
react/reaction reagir reação
vote votar
follow seguir
learn aprender
estimate estimar
file arquivo ficheiro
folder/directory pasta diretório
document documento
text texto
page página
image/photo/picture imagem foto fotografia
photo/image foto
screenshot captura_de_tela
screen tela ecrã
background fundo
video vídeo
audio/recording áudio gravação som
voice/speech voz
music música
song música canção
movie filme
message mensagem
email/mail e_mail email correio
inbox caixa_de_entrada
mailbox caixa_de_correio
draft rascunho
attachment anexo
subject assunto
sender remetente
recipient destinatário
unread não_lido não_lidas
spam spam
signature assinatura
conversation/thread conversa
channel canal
chat/message bate_papo
member membro
user usuário utilizador
person/people pessoa gente alguém
participant/attendee participante
team equipe time
group grupo agrupar
colleague colega
employee funcionário empregado
manager chefe gerente
owner proprietário dono
author autor
customer/client cliente freguês
contact contato contacto
address+book/contact agenda_de_contatos
company empresa companhia
organization organização
phone telefone celular
address endereço morada
name nome
account conta
password senha palavra_passe
permission/access permissão acesso
access acesso
role papel função
profile perfil
status status estado situação
presence/status presença
auto/office+reply ausência resposta_automática
calendar calendário agenda
event evento
meeting/event reunião encontro
appointment/event compromisso consulta
meeting+room sala_de_reunião sala_de_reuniões
room sala quarto
free/available livre
time+slot/availability horário disponibilidade
time hora horário
hour/time hora horas
date data
day dia
week semana
month mês mensal
year ano
today hoje
tomorrow amanhã
yesterday ontem
period período
deadline/due prazo vencimento
reminder lembrete
holiday/leave férias
task/issue tarefa
issue/ticket chamado tíquete
bug/issue/error erro defeito falha
problem/issue problema
error erro
project projeto projecto
sprint sprint
goal objetivo meta
priority prioridade
label/tag etiqueta rótulo
work/time+spent trabalho
log+work horas_trabalhadas
done/completed concluído feito pronto
pending/open pendente em_aberto
branch ramo
repository repositório
commit commit
pull+request solicitação_de_pull pull_request
fork bifurcação
code código
source+code código_fonte
diff/changes diferença diferenças
line linha
function função
version/release versão
release lançamento
tag etiqueta
note nota anotação
history histórico história
workflow/pipeline fluxo pipeline
failed falhou
job trabalho
database banco_de_dados base_de_dados
table tabela
column coluna
row/record linha registro
query/statement consulta
schema esquema
index índice
data dados
type tipo
key chave
value valor
slow lento
fast/quick rápido
website/url/page site página_web
web web internet
link/url link ligação
browser navegador
tab aba
button botão
form formulário
field/input campo
cookie cookie
element elemento
script script
server servidor
service/workload serviço
machine máquina
computer computador
container/pod contêiner
cluster cluster
node nó
replica réplica
deployment implantação
command comando
log registro log
alert alerta alarme
rule regra
threshold limite limiar
metric métrica
incident/outage incidente queda
maintenance manutenção
oncall/engineer plantão engenheiro
downtime interrupção
uptime/status disponibilidade no_ar
performance desempenho
memory memória
storage armazenamento
object objeto
bucket balde
secret/credential segredo credencial
certificate certificado
network rede
device dispositivo aparelho
application/app aplicativo programa aplicação
system sistema
setting/configuration configuração ajuste
environment ambiente
temporary temporário
permanent permanente para_sempre
trash/delete lixeira lixo
size tamanho
width largura
height altura
content conteúdo
metadata/info metadados
information/info informação
detail detalhe
title título
list lista
archive arquivar
template modelo
wiki/page wiki
article artigo
news notícias
book livro
chapter capítulo
question pergunta
answer resposta
language idioma língua linguagem
english/language inglês
german/language alemão
french/language francês
spanish/language espanhol
japanese/language japonês
word palavra
sentence frase
spelling ortografia
summary resumo
long longo
invoice fatura nota_fiscal
receipt recibo
bill/pay conta
money/payment/fund dinheiro
price preço
cheap/price barato
cost custo
discount/coupon desconto cupom
amount quantia valor montante
currency/convert moeda câmbio
euro/currency euro
dollar/currency dólar
balance/account saldo
bank banco
transaction transação movimentação
subscription assinatura
plan/subscription plano
credit+card cartão_de_crédito cartão
tax imposto
expense despesa
salary salário
revenue/sales receita
deal/sales negócio venda oportunidade
lead cliente_potencial
sales+pipeline funil_de_vendas
contract contrato
stock/share ação bolsa ações
inventory/stock estoque inventário
product produto
shop/store loja
cart carrinho
package/parcel pacote encomenda
delivery/shipment entrega remessa
duplicate duplicado repetido
weather/forecast clima tempo chuva chover
weather+forecast previsão_do_tempo
temperature temperatura
air+quality qualidade_do_ar poluição
flight voo avião voar
hotel hotel hospedagem alojamento
train/route trem comboio estação
car carro
restaurant restaurante
pharmacy/nearby farmácia
nearby perto próximo
place/location lugar local localização
city cidade
country país
map mapa
route/direction rota caminho trajeto
distance distância
coordinate coordenada
travel/trip viagem viajar
visa/passport visto passaporte
ticket/flight bilhete passagem
game jogo
recipe receita
food comida alimento
health saúde
doctor médico
school escola
course curso
player jogador
market mercado
model modelo
statistics estatística
chart/graph gráfico diagrama
number número
percentage porcentagem
color cor
category categoria
review/rating avaliação resenha
token token
policy política
law lei direito
security segurança
space/workspace espaço
board quadro
card cartão
point ponto
result resultado
example exemplo
step passo
change mudança alteração
revision/version revisão
previous/earlier anterior prévio
old velho antigo
last/latest/recent último recente
next próximo seguinte
all todo todos tudo
active/firing ativo
private privado particular
public público
automatic/auto automático automaticamente
first primeiro
monthly mensal
daily diário
aloud/speech em_voz_alta
language+detect detecção_de_idioma
recognize/ocr+text reconhecimento_de_texto
incoming recebido
responsible responsável
open/create abrir
payslip/salary contracheque holerite
statement extrato
post/publish postar publicar
ship/shipment despachar
lend/loan empréstimo crédito
interest juros
insurance seguro
budget orçamento
donation doação doar
wallet carteira
cryptocurrency/crypto criptomoeda
trade negociar comércio
asset ativo patrimônio
exchange+rate taxa_de_câmbio cotação
house/property casa imóvel apartamento
rent aluguel alugar
campaign campanha
advertisement/ad anúncio publicidade
keyword palavra_chave
survey/poll pesquisa_de_opinião enquete
presentation/slide apresentação slide
spreadsheet/sheet planilha folha_de_cálculo
cell célula
formula fórmula
dashboard painel
property propriedade
parameter parâmetro
variable variável
dependency dependência
library biblioteca
vulnerability vulnerabilidade
virus/malware vírus
domain domínio
port porta
qr+code código_qr
barcode código_de_barras
font fonte
design projetar
layout leiaute
subtitle legenda
podcast/episode episódio
playlist lista_de_reprodução
album álbum
artist artista
lyrics letra
poem poema
joke piada
quote citação cotação
camera câmera
light luz lâmpada
door porta
lock bloquear trancar
unlock desbloquear
battery bateria
sensor sensor
bus ônibus autocarro
traffic trânsito tráfego
parking estacionamento
airport aeroporto
station estação parada
arrival chegada
departure partida saída
timezone/time fuso_horário
timer/alarm temporizador despertador
birthday aniversário
gift presente
concert/event concerto show
museum museu
sport esporte desporto
match/score placar partida
league liga
job/career emprego vaga
resume/cv currículo
candidate/applicant candidato
interview entrevista
student aluno estudante
teacher professor
exam/quiz prova exame
patient paciente
medicine/drug remédio medicamento
exercise/workout exercício treino
nutrition/calorie nutrição calorias
animal animal
plant planta
earthquake terremoto sismo
moon lua
math/equation matemática equação
solve resolver
random aleatório sorteio
length comprimento
weight peso
unit unidade
average média
total total
trend tendência
research/paper pesquisa_científica
paper papel artigo
definition/dictionary definição dicionário significado
grammar/spelling gramática
opportunity/deal oportunidade
feedback retorno
support suporte ajuda
feature funcionalidade recurso
session sessão
cache cache
queue fila
process processo
thread/conversation tópico
mention mencionar menção
block bloquear
kill/stop matar
attach anexar
highlight destacar
mark marcar
replace substituir
collect coletar recolher
measure medir
expire expirar vencer
renew renovar
postpone/reschedule/update adiar remarcar
available/uptime/availability disponível
purchase+order ordem_de_compra
show/view vê exibe
start comece
request/ask peça
choose/select escolhe
add acrescenta
put/set pôr põe colocar
switch alternar trocar
use usar utilizar
associate/link associar
manage gerenciar administrar gestão
handle/process processar tratar
simulate simular
optimize otimizar
visualize/chart visualizar
evaluate avaliar
tool ferramenta
activity atividade
vehicle veículo
supplier/provider fornecedor provedor
agency agência
guide guia
manual/documentation manual documentação
passenger passageiro
season temporada
region região
district distrito bairro
street/address rua
identifier/id identificador
range intervalo faixa
quantity/amount quantidade
quality qualidade
speed velocidade
energy energia eletricidade
water água
knowledge conhecimento
topic tema assunto
idea ideia
decision decisão
requirement requisito
risk risco
quarter trimestre
profit lucro
loss perda
accounting/ledger contabilidade
warehouse armazém
material material
voucher/coupon vale cupom
offer/quote oferta orçamento
advice conselho
complaint/issue reclamação queixa
`,
}
