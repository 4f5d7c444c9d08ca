import type { Schemas } from '../../contract/types.ts'

/** A title with one of the words, and none of the exceptions, belongs to the category. */
export interface CategoryRule {
  category: Schemas['Category']
  words: RegExp
  unless: RegExp
}

const VEHICLE_YEARS = '(?:19[5-9]|20[0-4])\\d'

/**
 * Tried in order; the first rule that fits decides. What a thing is for comes before what it looks like: a patient
 * monitor is medical before a monitor is electronics, an engine hoist is a tool before an engine is a part.
 */
export const CATEGORY_RULES: readonly CategoryRule[] = [
  rule('real-estate', {
    words: `real estate, single family, residence, residential propert*, acre, acreage, parcel, vacant land,
      house, condo, condominium, town house, town home, duplex, apartment, \\d car garage, \\d+
      (bed|bedroom|br)\\W+[\\d.]+ (bath|bathroom|ba), federal building, office building, light station,
      manufactured hom*, manufactured hous*, mobile home, cabin, building, modular office, modular classroom`,
    unless: `fan, heater, air, lamp, light fixture, dog house, bird house, power house, green house, warehouse,
      lighthouse lens, cabin cruiser, cabin pressurization, cabin filter, building material, building
      suppl*, door, lock, boat, model, parcel scale, shelter kit, motor`,
  }),
  rule('other', {
    words: `ice maker, ice machine, ice dispenser, vending machine, kitchen, oven, fryer, griddle, dish washer,
      coffee (maker|machine|urn|brewer), salad bar, microwave, toaster, deli slicer, food, beverage, conex,
      (shipping|storage|sea) container, scrap paper, jewelry, necklace, bracelet, (gold|diamond|wedding)
      (ring|watch), coin, clothing, uniform, backpack, luggage, books, piano, guitar, flag, washing machine,
      washer (and|&) dryer, sewing machine, safe`,
    unless: 'medical, lab*, hybridization, conference, mac book, pro book, cabinet, safe label',
  }),
  rule('military-surplus', {
    words: `ammunition, ammo can, bayonet, camouflage, camo net*, mre, molle, kevlar, plate carrier, flight suit,
      tactical, black hawk, uh \\d+\\w?, aircraft, helicopter, airframe, cessna, eurocopter, rotor blade,
      parachute, humvee, hmmwv, lmtv, m\\d{3}a\\d, demil, military, us army, us navy, usmc, marine corps,
      drash, boat, life boat, rhib, vessel, barge, tug, semi trl, inconel, us mint`,
    unless: 'trailer, toy, model kit, truck, pressure vessel, boat motor, outboard, club, gloves, boat lift',
  }),
  rule('tools-industrial', {
    words: `engine hoist, engine stand, tire changer, wheel balancer, car lift, vehicle lift, tool box, toolbox,
      outboard, lawn mower, lawnmower, push mower, (diesel|gas|gasoline|marine|jet) engine, diesel
      generator, welder, generator, light tower, pressure washer, hand truck, pallet jack`,
    unless: 'trailer, x ray, oxygen, signal, dump truck, tahoe, waveform, pulse',
  }),
  rule('vehicles', {
    words: `tire, wheel, rim, truck bed, camper shell, tonneau cover, bumper, tailgate, light bar, hub cap, auto
      part, automotive part, vehicle part, snow plow, windshield, running board,
      (car|truck|vehicle|rear|leather|front|jump) seat`,
    unless: `wheel chair, wheelchair, caster, cart, chair, cutter, dolly, wrench, inflator, wheel loader, grinding,
      fork lift, roller, stretcher, wheeler, wheel drive`,
  }),
  rule('heavy-equipment', {
    words: `fork lift, clarklift, lift truck, reach truck, backhoe, loader, skid steer, excavator, bulldozer,
      dozer, motor grader, grader, road roller, (drum|soil|asphalt|vibratory) (roller|compactor), trencher,
      (mobile|crawler|boom|lattice|overhead|bridge|gantry|straddle) crane, lattice boom, tractor, bobcat,
      combine harvester, scissor lift, boom lift, manlift, skyjack, telehandler, street sweeper, wood
      chipper, stump grinder, rock crusher, asphalt paver, bush hog, kubota, john deere, zero turn mower,
      riding mower, mower, straddle crane`,
    unless: `tractor trailer, truck tractor, trailer, patient, ceiling, gator, ${VEHICLE_YEARS}
      (chevrolet|chevy|ford), freightliner, ford, motor, tire`,
  }),
  rule('vehicles', {
    words: `sedan, coupe, suv, minivan, van, pickup, pick up truck, truck, trailer, motorcycle, motor home, moped,
      bus, ambulance, fire engine, atv, utv, side by side, four wheeler, 4 wheeler, golf cart, club car,
      cushman, vantage ev*, e z go, snowmobile, snow machine, ski doo, arctic cat, utility vehicle, camper,
      rv, polaris, gator, mule, semi, bobtail, police interceptor, car, vehicle, ${VEHICLE_YEARS}
      (ram|honda|international|mercury|lincoln|mack|mini|tesla|isuzu|hino|am
      general|suzuki|yamaha|harley|kawasaki|mitsubishi), f [1-7]50, silverado, tahoe, suburban, ford,
      chevrolet, chevy, dodge, ram \\d500, jeep, gmc, toyota, nissan, hyundai, kia, chrysler, buick,
      cadillac, pontiac, subaru, mazda, volkswagen, volvo, mercedes, bmw, audi, lexus, freightliner,
      kenworth, peterbilt, navistar, oshkosh`,
    unless: `truck scale, pallet truck, delorme, \\d car, car (stereo|radio|wash|charger|battery), supply car, rail
      car, toy, model car, bus bar, crash cart, linen, mixer, vehicle charg*, antenna, gps, camper stove,
      food truck, van gogh, lawn, cart mule`,
  }),
  rule('medical-scientific', {
    words: `medical, medication, surgical, surgery, patient, hospital, clinical, dental, dentist, ortho*,
      podiatry, pharmac*, nurs*, procedure, exam*, treatment, operating table, stretcher, gurney, wheel
      chair, walker, rollator, scooter, infusion, iv pole, syringe, catheter, defib*, aed, zoll, lifepak,
      ventilator, oxygen, cpap, nebulizer, vital sign, fetal, bladder, blood, cardiac, ekg, ecg, eeg,
      ultrasound, ultra sound, sonosite, x ray, mri, c arm, mammo*, endoscop*, \\w*[^e]scope, \\w+scopy,
      microtome, centrifuge, autoclave, steriliz*, steris, incubator, \\w*spectro*, chromatograph*, hplc, gc
      system, analyzer, analyser, pipette*, electrophoresis, pcr, microplate, lab, laboratory, fume hood,
      histolog*, hematolog*, patholog*, ophthalm*, nidek, tonom*, phoropter, audiometer, ergometer,
      \\w*therap*, treadmill, elliptical, exercise*, bike, massage, hydrocollator, hydratherm, hill rom,
      stryker, midmark, welch allyn, philips, intellivue, bariatric, prosthe*, hearing aid, glove, mask,
      gown, bandage, sanitizer, disinfect*, humidifier, thermometer, glucose, dialysis, hemodialysis,
      anesthesia, suction, electrosurg*, freezer, refrigerator, warmer, warming unit, hepa*, linen, sharps,
      bedside, mattress, patient lift, ceiling lift, bed, medline, covidien, kangaroo, draeger, mopec,
      laerdal, mannequin, manikin, trainer, glove box, floor scrubber, floor burnisher, air purifier, gas
      monitor, loupe, optical, opto, cryo*, thermal cycler, bath, biomedical, rehab*, oncology`,
    unless: `telescope, oscilloscope, borescope, bunk bed, bed liner, flat bed, day bed, philips (tv|television),
      bike rack, radio, dirt bike, vacuum pump, photo lab, microscope camera lens`,
  }),
  rule('electronics', {
    words: `computer, laptop, lap top, desktop, monitor, printer, cpu, pc, server, scanner, copier, plotter, mfp,
      lexmark, xerox, laser jet, design jet, optiplex, latitude, think pad, elite book, pro book, mac book,
      macbook, poweredge, proliant, cisco, network*, router, switch, hard drive, toner, ink cartridge, ipad,
      iphone, cell phone, cellphone, smart phone, cellular, tablet, dell, hp, hewlett packard, lenovo,
      apple, imac, galaxy, telephone, phone, voip, docking station, keyboard, ups, apc, power suppl*,
      television, tv, projector, smart board, display, speaker, audio, video, stereo, dvd, camcorder,
      camera, nikon, canon, lens, polycom, telepresence, conferencing, drone, dji, autel, uas, uav, radio,
      motorola, antenna, satellite, gps, delorme, garmin, microphone, wireless, access point, it equipment,
      oscilloscope, multimeter, tektronix, fluke, keysight, agilent, electronic, barcode, zebra, usb, hdmi,
      software, scantron, fax machine, typewriter, otterbox`,
    unless: `switch gear, limit switch, light switch, transfer switch, standing desk, metering pump, furniture
`,
  }),
  rule('office-furniture', {
    words: `furniture, chair, desk, table, cabinet, bookcase, book case, bookshel*, shel*, credenza, cubicle, work
      station, workstation, sofa, couch, love seat, recliner, locker, dresser, night stand, wardrobe,
      filing, podium, lectern, white board, stool, bench, lamp, partition, hutch, drawer, office suppl*,
      binder, stapler, shredder`,
    unless: 'saw, tool*, drill, lathe, hydraulic, router, welding, grinder, work bench',
  }),
  rule('tools-industrial', {
    words: `tool*, genset, compressor, weld*, pump, saw, drill*, lathe, mill, milling, grind*, sander, press,
      shear, planer, jointer, wrench*, socket, hoist, winch, jack, vise, ladder, scaffold*, work bench,
      motor, engine, transformer, breaker, electrical, conduit, wire, cable, valve, pipe, fitting, plumbing,
      hvac, air condition*, chiller, boiler, furnace, heater, air handler, dehumidifier, blower, fan, air
      filter, scrubber, sweeper, vacuum, burnisher, tennant, spray*, paint, tank, hydraulic, pneumatic,
      industrial, machine shop, machine, hardware, fastener, bolt, chainsaw, trimmer, spreader, tiller,
      auger, dewalt, milwaukee, makita, hilti, snap on, craftsman, sand blaster, conveyor, cylinder,
      bearing, power station`,
    unless: 'fax machine, slot machine',
  }),
]

/**
 * Words and phrases, separated by commas: a space may be a hyphen or nothing in a title, a plural is meant as well, and
 * `*` stands for any ending.
 */
function rule(
  category: Schemas['Category'],
  { words, unless }: { words: string; unless: string },
): CategoryRule {
  return { category, words: anyOf(words), unless: anyOf(unless) }
}

function anyOf(phrases: string): RegExp {
  const patterns = phrases.split(',').map(phrase => {
    const pattern = phrase
      .trim()
      .replace(/(?<!\\[wW])\*$/, '\\w*')
      .replace(/\s+/g, '[\\s-]*')
    return /\w$/.test(pattern) ? `${pattern}(?:e?s)?` : pattern
  })
  return new RegExp(`(?<![\\w'])(?:${patterns.join('|')})(?!\\w)`, 'i')
}
