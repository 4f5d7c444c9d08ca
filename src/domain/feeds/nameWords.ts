/** Common first names in the United States (those most given since 1940, by the Social Security Administration). */
export const FIRST_NAMES = words(`
aaron abby abigail adam adrian adriana agnes aiden alan albert alejandro alex alexa alexander alexandra alexis alfred
alice alicia alison allan allen allison alvin alyssa amanda amber amy ana andrea andres andrew andy angel angela angelica
angie anita ann anna anne annette annie anthony antonio april ariana arlene arnold arthur ashley aubrey audrey austin ava
barbara barry becky ben benjamin bernard bernice beth bethany betsy betty beverly bill billy blake bob bobby bonnie brad
bradley brady brandon brandy brenda brendan brent brett brian brianna bridget brittany brooke bruce bryan bryce caitlin
caleb calvin cameron candace candice carl carla carlos carmen carol caroline carolyn carrie casey cassandra catherine cathy
cecilia chad charlene charles charlie charlotte chelsea cheryl chester chloe chris christian christina christine
christopher christy cindy claire clara clarence claudia clayton clifford clyde cody colin colleen connie connor corey cory
courtney craig cristina crystal curtis cynthia dale dana daniel danielle danny darlene darrell darren daryl dave david dawn
dean deanna debbie deborah debra denise dennis derek derrick desiree destiny devin diana diane dolores don donald donna
doris dorothy doug douglas duane dustin dwayne dwight dylan earl eddie edgar edith edna eduardo edward edwin eileen elaine
eleanor elena eli elijah elizabeth ella ellen emily emma enrique eric erica erik erika erin ernest esther ethan eugene eva
evan evelyn faith felicia felix fernando florence frances francis francisco frank franklin fred frederick gabriel gabriela
gabrielle gail garrett gary gavin gene george gerald geraldine gilbert gina ginger gladys glen glenda glenn gloria gordon
grace grant greg gregory guy gwen hailey hannah harold harriet harry harvey hazel heather hector heidi helen henry herbert
herman hilary holly hope howard hunter ian ida irene iris isaac isabel isabella ivan jack jackie jackson jaclyn jacob
jacqueline jade jaime jake james jamie jan jane janet janice jared jasmine jason javier jay jean jeanette jeanne jeff
jeffery jeffrey jenna jennifer jenny jeremy jerome jerry jesse jessica jesus jill jim jimmy jo joan joann joanna joanne
jocelyn jodi jody joe joel johanna john johnny jon jonathan jordan jorge jose joseph josephine joshua josé joy joyce juan
juanita judith judy julia julian julie june justin kaitlyn kara karen karl karla kate katelyn katherine kathleen kathryn
kathy katie katrina kay kayla keith kelli kelly kelsey ken kendra kenneth kent kerry kevin kim kimberly kirk kristen
kristin kristina kristine kristy krystal kurt kyle lance larry latoya laura lauren laurie lawrence leah lee leo leon
leonard leroy leslie lester lewis liam lillian linda lindsay lindsey lisa lloyd logan lois lonnie loretta lori lorraine
louis louise lucas lucille lucy luis luke lynn mackenzie madeline madison marc marcia marcus margaret maria mariah marie
marilyn mario marion marissa marjorie mark marlene marsha marshall martha martin marvin mary mason matt matthew maureen
maurice max maxine megan melanie melinda melissa melvin mercedes meredith michael michaela michele michelle miguel mike
mildred milton mindy miranda misty mitchell molly monica monique morgan nancy naomi natalie natasha nathan nathaniel neil
nicholas nichole nick nicole nina noah nora norma norman olivia oscar owen paige pam pamela pat patrice patricia patrick
patti patty paul paula pauline peggy penny peter phil philip phillip phyllis priscilla rachael rachel ralph ramon randall
randy raul ray raymond rebecca regina renee ricardo rich richard rick ricky rita rob robert roberta roberto robin rochelle
rod rodney roger roland ron ronald ronnie rosa rose rosemary ross roxanne roy ruben russell ruth ryan sabrina sally sam
samantha samuel sandra sandy sara sarah savannah scott sean sergio seth shane shannon shari sharon shaun shawn sheila
shelby shelly sherri sherry shirley sidney sierra silvia sofia sonia sonya sophia spencer stacey stacy stanley stella
stephanie stephen steve steven stewart stuart sue summer susan suzanne sydney sylvia tamara tammy tanya tara taylor ted
teresa terrance terri terry thelma theodore theresa thomas tiffany tim timothy tina todd tom tommy toni tony tonya tracey
traci tracy travis trevor troy tyler valerie vanessa vera vernon veronica vicki vickie victor victoria vincent viola
virginia vivian wade wallace walter wanda warren wayne wendy wesley whitney wilbur will william willie wyatt yolanda
yvette yvonne zachary zoe`)

/** First names that are as likely a thing, a place or a maker. */
export const WORDS_AND_NAMES = words(`
amber angel april art ashley austin autumn bill blake brooke cameron casey charlotte chase chester christian chuck clay
crystal dale dawn dean drew earl faith florence ford franklin gene ginger glen grace grant guy harley hazel heather
henry holly hope hunter iris jack jackson jade jasmine jay jean jesse john jordan joy june kent lance lee logan madison
marion mark marshall martin mason max mercedes miranda misty morgan norman pat patty penny ray rich robin rod rose ross
roy russell savannah shane shelby sierra spencer stanley stella stewart summer sydney taylor tiffany tracy troy tyler van
victor victoria viola virginia wade wallace warren wayne wesley will`)

/** Words of sales and of goods that stand in capitals where a name could, and are none. */
export const NO_NAMES = words(`
a about above account accounts act additional adhesive administration adapter after agency agent aircraft all allen alloy
also amplifier an and announcements any apparatus appointment appointments are area army as assembly assistant at attached
attachment attachments attention auction auctions auto automotive base battery be before being below bell bid bidder
bidders bidding bids bill block board body boots both box branch breaker brush buckets building bureau business button
buyer buyers by cable camera can card carefully cart carts case cement center chair chairs chart city classification
cleaner cleaning clerk close closing coating coil color command company concentrator condition conditions consult contact
contacts contract contracting contractor control cord counter county cover crane customer customs cutter data date day days
dealer defense department depot description desk desks detail detailed details device diagram director display disposal
disposition district division document documents door drawing dryer duty each electric electrical electronics email
emergency engine engineering enforcement environmental equipment etc exactly exchange exhibit extension facility federal
field file files first fixture floor following for force forklift form forms from front full further gauge general glove
gloves government governing grill group gsa guard hand handler headset health helmet helmets help here highway home hours
house housing how if image images important in individual info information inside inspection instruction instructions
instrument insulation internal inventory is it item items its jacket joint kit lab lamp land lens lenses light list listed
listing listings local location lot lots machine machines maintenance management manager manual manuals manufacturer
marine marshal marshals material materials matter mechanical medical meter microphone military mixer model module monitor
more motor mount mouse must name national navy neither new no not note notes notice number numbers of off office officer
offices oil on one online only operations operator option or other our out oven oxygen pad page pages paint panel paper
part parts payment personnel phone photo photographs photos pickup picture pictures pin plate plug point police port post
power premises press pressure previous price prices pricing printer prior probe product products program property public
pump purchaser purchasers questions radio receiver record regarding region registration relay remarks removal repair
replacement report required requirements resin resistance restoration revenue review rug safety sale sales schedule scope
scrubber seal section security see seller seller's sellers sensor sensors serial series server service services set sheet sheets
shipping shop sign site small solution special specialist specific specification specifications specs spray state states
station status steel stock storage strip structure supplies supply support surface surplus switch switches system systems
table tape team technician telephone temperature tensiometer term terminal terminals terms test tester text than that the
their them there thermometer these they this those time tip tire to tool tools top tower track tractor trailer transfer
transmitter transport tray treasury truck type unit united units until us use used user van vehicle vehicles veterans vest
via video view viewing vin visit wait waiting warehouse warning washer water we web website weekdays wheel when where wire
wireless wiring with within without work works workstation yard you your zone
monday tuesday wednesday thursday friday saturday sunday january february march may july august september october november
december north south east west fort camp`)

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}
