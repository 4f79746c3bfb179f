;; The likeness of vectors to many: for each row the largest dot product so far.
;; A row is signed bytes, then the float that one step of it stands for, and 12 bytes more.
;; Queries have 16 bits: `one` takes one, `four` takes four, eight numbers of each in turn, and behind them what one step of each stands for.
(module
  (memory (export "memory") 1)
  (func (export "one") (param $query i32) (param $bytes i32) (param $row i32) (param $end i32) (param $best i32)
    (local $at i32) (local $stop i32) (local $step f32) (local $a v128) (local $b v128)
    (local.set $stop (i32.add (local.get $query) (i32.shl (local.get $bytes) (i32.const 1))))
    (local.set $step (f32.load (local.get $stop)))
    (loop $rows
      (if (i32.lt_u (local.get $row) (local.get $end)) (then
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (local.get $a))
        (local.set $at (local.get $query))
        (loop $numbers
          (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $row)) (v128.load (local.get $at)))))
          (local.set $b (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $row)) (v128.load offset=16 (local.get $at)))))
          (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (v128.load8x8_s offset=16 (local.get $row)) (v128.load offset=32 (local.get $at)))))
          (local.set $b (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (v128.load8x8_s offset=24 (local.get $row)) (v128.load offset=48 (local.get $at)))))
          (local.set $row (i32.add (local.get $row) (i32.const 32)))
          (br_if $numbers (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 64))) (local.get $stop))))
        (local.set $a (i32x4.add (local.get $a) (local.get $b)))
        (f32.store (local.get $best) (f32.max (f32.load (local.get $best)) (f32.mul (f32.load (local.get $row)) (f32.mul (local.get $step)
          (f32.convert_i32_s (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $a)) (i32x4.extract_lane 1 (local.get $a)))
            (i32.add (i32x4.extract_lane 2 (local.get $a)) (i32x4.extract_lane 3 (local.get $a)))))))))
        (local.set $row (i32.add (local.get $row) (i32.const 16)))
        (local.set $best (i32.add (local.get $best) (i32.const 4)))
        (br $rows)))))
  (func (export "four") (param $query i32) (param $bytes i32) (param $row i32) (param $end i32) (param $best i32)
    (local $at i32) (local $stop i32) (local $numbers v128) (local $steps v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $stop (i32.add (local.get $query) (i32.shl (local.get $bytes) (i32.const 3))))
    (local.set $steps (v128.load (local.get $stop)))
    (loop $rows
      (if (i32.lt_u (local.get $row) (local.get $end)) (then
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (local.get $a))
        (local.set $c (local.get $a))
        (local.set $d (local.get $a))
        (local.set $at (local.get $query))
        (loop $numbers
          (local.set $numbers (v128.load8x8_s offset=0 (local.get $row)))
          (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (local.get $numbers) (v128.load offset=0 (local.get $at)))))
          (local.set $b (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (local.get $numbers) (v128.load offset=16 (local.get $at)))))
          (local.set $c (i32x4.add (local.get $c) (i32x4.dot_i16x8_s (local.get $numbers) (v128.load offset=32 (local.get $at)))))
          (local.set $d (i32x4.add (local.get $d) (i32x4.dot_i16x8_s (local.get $numbers) (v128.load offset=48 (local.get $at)))))
          (local.set $numbers (v128.load8x8_s offset=8 (local.get $row)))
          (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (local.get $numbers) (v128.load offset=64 (local.get $at)))))
          (local.set $b (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (local.get $numbers) (v128.load offset=80 (local.get $at)))))
          (local.set $c (i32x4.add (local.get $c) (i32x4.dot_i16x8_s (local.get $numbers) (v128.load offset=96 (local.get $at)))))
          (local.set $d (i32x4.add (local.get $d) (i32x4.dot_i16x8_s (local.get $numbers) (v128.load offset=112 (local.get $at)))))
          (local.set $row (i32.add (local.get $row) (i32.const 16)))
          (br_if $numbers (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 128))) (local.get $stop))))
        ;; The four sums beside each other, then the largest of them in every place.
        (local.set $a (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
        (local.set $c (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
        (local.set $a (f32x4.mul (local.get $steps) (f32x4.convert_i32x4_s (i32x4.add
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $c))
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $c))))))
        (local.set $a (f32x4.max (local.get $a) (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $a) (local.get $a))))
        (local.set $a (f32x4.max (local.get $a) (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $a) (local.get $a))))
        (f32.store (local.get $best) (f32.max (f32.load (local.get $best)) (f32.mul (f32.load (local.get $row)) (f32x4.extract_lane 0 (local.get $a)))))
        (local.set $row (i32.add (local.get $row) (i32.const 16)))
        (local.set $best (i32.add (local.get $best) (i32.const 4)))
        (br $rows))))))
