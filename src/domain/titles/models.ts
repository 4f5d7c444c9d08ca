/**
 * Models by make (as `vehicleMake` returns it). A space stands for a hyphen, a space or nothing. Where one name starts with
 * another, the longer one comes first.
 */
export const VEHICLE_MODELS: Readonly<Record<string, string>> = {
  acura: 'integra, mdx, rdx, tlx, tsx, ilx, tl, rl, legend',
  audi: 'a3, a4, a5, a6, a7, a8, q3, q5, q7, q8, s4, tt, r8, e tron, allroad',
  bmw: 'x1, x3, x5, x6, x7, z4, i3, i8, m3, m5, 128i, 320i, 325i, 328i, 330i, 335i, 428i, 528i, 530i, 535i, 740i, 750i, r1200',
  buick:
    'lesabre, lacrosse, regal, century, enclave, encore, envision, verano, lucerne, rendezvous, park avenue, rainier',
  cadillac: 'escalade, deville, seville, cts, ats, xts, srx, xt5, dts, eldorado, brougham',
  chevrolet: `silverado 1500, silverado 2500, silverado 3500, silverado, tahoe, suburban, impala, malibu, equinox, traverse, colorado, express,
    trailblazer, trail blazer, blazer, avalanche, astro, uplander, venture, cobalt, cruze, camaro, corvette, caprice, lumina, cavalier, monte carlo,
    sonic, spark, bolt, volt, trax, captiva, hhr, kodiak, topkick, s 10, c 10, c1500, k1500, c2500, k2500, c3500, k3500, c4500, c5500, c6500, c7500,
    c60, c70, k 5, g20, g30, low cab forward, lcf, m1008, 1500, 2500, 3500`,
  chrysler:
    'town country, pacifica, voyager, sebring, concorde, pt cruiser, cirrus, new yorker, aspen, 200, 300',
  dodge: `ram 1500, ram 2500, ram 3500, ram 4500, ram 5500, ram promaster, promaster, grand caravan, caravan, charger, challenger, durango, dakota,
    journey, avenger, stratus, intrepid, neon, nitro, caliber, magnum, viper, dart, sprinter, d150, b250, b350, ram, 1500, 2500, 3500, 4500, 5500`,
  fiat: '500l, 500x, 500',
  ford: `f 150, f 250, f 350, f 450, f 550, f 600, f 650, f 700, f 750, f 800, f 8000, e 150, e 250, e 350, e 450, lt 9000, l 8000, lt 8000, ft 900,
    transit connect, transit, explorer, expedition, excursion, escape, edge, flex, taurus, fusion, focus, fiesta, crown victoria, crown vic, mustang,
    ranger, bronco, maverick, econoline, windstar, freestar, aerostar, five hundred, contour, escort, ecosport, c max, police interceptor, lcf, thunderbird`,
  freightliner:
    'cascadia, columbia, century, coronado, argosy, classic, sprinter, fl 50, fl 60, fl 70, fl 80, fl 106, fl 112, fld 120, m2 106, m2 112, m2, 114sd, 108sd, mt 45, mt 55, m916a3, m915a3',
  gmc: 'sierra 1500, sierra 2500, sierra 3500, sierra, yukon xl, yukon, savana, safari, acadia, terrain, canyon, envoy, jimmy, sonoma, topkick, hummer ev, c1500, c2500, c3500, c4500, c5500, c6500, c7500, c8500, k1500, k2500, suburban, 1500, 2500, 3500',
  harley: 'electra glide, road king, street glide, road glide, sportster, softail, fat boy, dyna, police',
  hino: '145, 155, 165, 185, 195, 238, 258, 268, 338',
  honda:
    'accord, civic, cr v, hr v, pilot, odyssey, ridgeline, passport, element, fit, insight, clarity, prelude, pioneer, foreman, rancher, rubicon, fourtrax, gold wing, goldwing, st 1300, talon, ruckus',
  hummer: 'h1, h2, h3',
  hyundai:
    'sonata, elantra, accent, santa fe, tucson, veloster, azera, genesis, kona, palisade, ioniq, entourage, tiburon',
  infiniti: 'g35, g37, q50, q60, qx56, qx60, qx80, fx35, m35, i30',
  international:
    '4300, 4400, 4600, 4700, 4800, 4900, 7300, 7400, 7500, 7600, 8100, 8600, 9200, 9400, 1854, 1652, 3200, 3800, prostar, lonestar, durastar, workstar, transtar, paystar, loadstar, maxxforce, terrastar, scout, mv607, hv607, cv515',
  isuzu: 'npr, nqr, nrr, ftr, frr, rodeo, trooper, ascender, amigo',
  jaguar: 'xj, xf, xk, xe, f pace, s type, x type',
  jeep: 'grand cherokee, cherokee, wrangler, liberty, patriot, compass, renegade, commander, gladiator, cj 5, cj 7, grand wagoneer, wagoneer',
  kawasaki: 'mule, teryx, brute force, ninja, vulcan, prairie, bayou, kz 1000, klr 650, jet ski',
  kenworth: 't300, t370, t400, t440, t470, t600, t660, t680, t800, t880, w900, k100, c500',
  kia: 'optima, sorento, sportage, soul, forte, rio, sedona, spectra, stinger, telluride, carnival, niro, cadenza, k5',
  lexus:
    'es 300, es 330, es 350, gs 300, gs 350, is 250, is 350, ls 400, ls 430, rx 300, rx 330, rx 350, gx 460, gx 470, lx 470, lx 570',
  lincoln: 'navigator, town car, continental, mkz, mkx, mkt, mks, aviator, corsair, nautilus, ls',
  mack: 'granite, pinnacle, anthem, vision, terrapro, r600, dm690, ch600, cv713, mr688',
  mazda: 'mazda3, mazda6, cx 3, cx 5, cx 7, cx 9, mx 5, miata, tribute, protege, b2300, b3000, b4000, rx 8',
  mercedes:
    'sprinter, metris, c230, c240, c250, c300, e320, e350, e550, s430, s500, s550, ml320, ml350, gl450, glk350, gle350, glc300, clk, cls, slk, unimog',
  mercury: 'grand marquis, mariner, mountaineer, sable, milan, cougar, villager, montego',
  mini: 'cooper, countryman, clubman',
  mitsubishi: 'outlander, galant, lancer, eclipse, montero, endeavor, mirage, raider, fuso',
  nissan:
    'altima, sentra, maxima, versa, frontier, titan, pathfinder, rogue, murano, armada, xterra, quest, leaf, juke, kicks, nv 200, nv 1500, nv 2500, 350z, 370z, cube',
  peterbilt:
    '320, 330, 335, 337, 340, 348, 357, 359, 362, 365, 367, 377, 378, 379, 386, 387, 388, 389, 567, 579',
  polaris: 'ranger, rzr, sportsman, big boss, indy, general, scrambler, magnum, slingshot, gem, brutus, mrzr',
  pontiac: 'grand prix, grand am, g6, vibe, montana, bonneville, sunfire, firebird, aztek, trans am',
  porsche: '911, cayenne, panamera, macan, boxster, cayman',
  saturn: 'vue, ion, aura, outlook, relay, sl1, sl2',
  subaru: 'outback, forester, impreza, legacy, crosstrek, ascent, wrx, tribeca, baja, brz',
  suzuki: 'king quad, grand vitara, vitara, sidekick, samurai, sx4, xl7, forenza, hayabusa, ltz 400',
  tesla: 'model s, model 3, model x, model y, cybertruck',
  toyota:
    'camry, corolla, tacoma, tundra, 4runner, rav 4, highlander, sienna, prius, sequoia, land cruiser, avalon, yaris, venza, matrix, echo, fj cruiser, hilux, c hr, mirai, celica, t 100',
  volkswagen: 'jetta, passat, golf, beetle, tiguan, atlas, touareg, eos, eurovan, gti, cc, routan',
  volvo: 's40, s60, s80, s90, v50, v60, v70, xc40, xc60, xc70, xc90, vnl, vhd, vnm, 240, 740, 850, 940',
  yamaha:
    'viking, rhino, grizzly, kodiak, wolverine, big bear, yxz, banshee, raptor, waverunner, vmax, fz 09',
}
